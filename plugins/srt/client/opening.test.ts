import { expect } from 'chai'
import { nowUs } from '../now.ts'
import { localTerms } from '../terms.ts'
import { Ticker } from '../ticker.ts'
import { offerKeys, type ConnectionKeys } from '../wire/crypto/connection-keys.ts'
import { RendezvousHandshake } from '../wire/handshake/rendezvous-handshake.ts'
import { parseControlPacket } from '../wire/packet/control-packet.ts'
import { Opening } from './opening.ts'
import { parseTargetUrl } from './target-url.ts'

const PASSPHRASE = 'correct horse battery'

describe('Opening', () => {
  const toClose: (() => void)[] = []
  afterEach(() => {
    for (const close of toClose.splice(0)) close()
  })

  function setInterval(tick: () => void, intervalMs: number): () => void {
    const timer = globalThis.setInterval(tick, intervalMs)
    toClose.push(() => clearInterval(timer))
    return () => clearInterval(timer)
  }

  async function offer(): Promise<ConnectionKeys> {
    const keys = await offerKeys({ passphrase: PASSPHRASE, keyBytes: 16 })
    toClose.push(() => {
      keys.sending.close()
      keys.receiving.close()
    })
    return keys
  }

  it('meets a peer that begins anew with other keys, and has the latter ones', async () => {
    const stop = new AbortController()
    let hear: (datagram: Buffer) => void = () => {}
    const sent: Buffer[] = []
    const answered = Promise.withResolvers<void>()
    const flow = {
      peer: { remoteAddress: '192.0.2.1', remotePort: 9 },
      send(datagrams: readonly Buffer[]) {
        for (const datagram of datagrams) {
          sent.push(datagram)
          const packet = parseControlPacket(datagram)
          const isAnswer = packet?.kind === 'handshake' && packet.handshake.extensions.length > 0
          if (isAnswer) answered.resolve()
          hear(datagram)
        }
      },
      sendRun() {},
      close() {},
    }
    const target = parseTargetUrl(`srt://192.0.2.1:9?mode=rendezvous&passphrase=${encodeURIComponent(PASSPHRASE)}`)
    const ticker = new Ticker({ setInterval })
    const opening = new Opening({ target, defaultLatencyMs: 120, offered: await offer(), ticker }, flow)
    const opened = opening.run(stop.signal)
    const waving = parseControlPacket(sent[0]!)
    if (waving?.kind !== 'handshake') throw new Error('no handshake')
    const { cookie } = waving.handshake

    /** Creates a peer that has the greater cookie, and so offers its keys. */
    function peer(socketId: number, keys: ConnectionKeys): RendezvousHandshake {
      return new RendezvousHandshake({
        socketId,
        sequence: 1,
        streamId: '',
        terms: localTerms(120),
        keyRequest: keys.sending.message,
        cookie: (cookie + 1) >>> 0,
        send: (datagram) => setImmediate(() => opening.receive(datagram)),
        connected: () => {},
        refused: () => {},
      })
    }

    const first = peer(1, await offer())
    hear = (datagram) => {
      const packet = parseControlPacket(datagram)
      // The first peer ends before it receives the answer.
      if (packet?.kind === 'handshake' && packet.handshake.extensions.length === 0) first.receive(datagram, nowUs())
    }
    first.start(nowUs())
    await answered.promise
    const keys = await offer()
    const second = peer(2, keys)
    hear = (datagram) => second.receive(datagram, nowUs())
    second.start(nowUs())
    const { keys: agreed } = await opened
    expect(agreed?.sending.message).to.deep.equal(keys.sending.message)
  })
})
