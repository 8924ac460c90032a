import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { serializeFrames } from '../../plugins/webrtc/transport/tcp-framing.ts'
import { serializeStun } from '../../plugins/webrtc/transport/stun-message.ts'
import { offerOf } from '../bench/load/webrtc/offer.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { isSoak, rounds } from '../support/soak.ts'
import { WhepClient } from '../support/webrtc/whep-client.ts'
import { attackedServer } from './support/attacked-server.ts'
import { BadClient } from './support/bad-client.ts'
import { HEALTHY_VIEWERS } from './support/healthy-session.ts'
import { noise } from './support/noise.ts'
import type { ServerProcess } from './support/server-process.ts'

const TARGET = 'live/healthy'
/** More than there is room for. */
const OFFERS = isSoak ? 4000 : 600
/** Sessions of which nothing came yet, at most. */
const MAX_CONNECTING = 512
/** Connections without an authentic check, at most. */
const MAX_UNCHECKED = 128
/** What the lists of ended sessions keep of a thousand, and code that is used for the first time takes; a second thousand adds nothing. */
const MAX_HEAP_GROWTH_BYTES = 16 * 1024 * 1024
/** Others that may come and go meanwhile. */
const MARGIN = 20
const FLOOD_DATAGRAMS = rounds(2000)
/** The machine drops datagrams of a burst that nobody has read. */
const DATAGRAMS_PER_TURN = 20
const CONSENT_LOST_WITHIN_MS = 90_000
const FINGERPRINT = Array(32).fill('AB').join(':')
/** The header of a record with a handshake message of four bytes. */
const CLIENT_HELLO = Buffer.from('16fefd0000000000000000000401000000', 'hex')
const OFFER = offerOf({ usernameFragment: 'abcd', password: 'p'.repeat(24), fingerprint: FINGERPRINT, port: 9 })

const BROKEN: readonly { readonly name: string; readonly text: string; readonly status: number }[] = [
  { name: 'nothing', text: '', status: 400 },
  { name: 'noise', text: noise(30_000).toString('latin1'), status: 400 },
  { name: 'half of it', text: OFFER.slice(0, OFFER.indexOf('a=ice-pwd')), status: 400 },
  { name: 'a line without end', text: `v=0\r\na=${'x'.repeat(60_000)}`, status: 400 },
  { name: 'more than a description has', text: OFFER.padEnd(1024 * 1024, 'a=x\r\n'), status: 413 },
  { name: 'a hundred medias', text: OFFER + 'm=audio 9 UDP/TLS/RTP/SAVPF 0\r\n'.repeat(100), status: 400 },
  { name: 'a port that is none', text: OFFER.replace('m=video 9', 'm=video 99999999'), status: 400 },
  { name: 'no password', text: OFFER.replace(/a=ice-pwd.*\r\n/u, ''), status: 400 },
  { name: 'no fingerprint', text: OFFER.replace(/a=fingerprint.*\r\n/u, ''), status: 400 },
  { name: 'no codec that there is', text: OFFER.replaceAll('H264', 'H299'), status: 406 },
]

/** What a datagram is, by its first byte (RFC 7983 7). */
function kindOf(datagram: Buffer): 'STUN' | 'DTLS' | 'SRTP' {
  if (datagram[0]! < 20) return 'STUN'
  return datagram[0]! < 128 ? 'DTLS' : 'SRTP'
}

async function udpSocket(address: string): Promise<Socket> {
  const socket = createSocket('udp4')
  keep({ close: () => void socket.close() })
  socket.bind(0, address)
  await once(socket, 'listening')
  return socket
}

describe('WebRTC and bad clients', () => {
  let server: ServerProcess
  let viewer: WhepClient
  attackedServer(
    '',
    async (started) => {
      server = started
      viewer = await play()
      await waitFor(() => viewer.pictureCount > 0, { what: 'the first picture by WHEP' })
    },
    1,
  )

  afterEach(async () => {
    const before = viewer.pictureCount
    await waitFor(() => viewer.pictureCount > before + 5, { what: 'pictures by WHEP' })
  })

  function play(forge?: (offer: string) => string): Promise<WhepClient> {
    const origin = `http://127.0.0.1:${server.ports.http}`
    return WhepClient.play({ origin, target: TARGET, ...(forge && { forge }) })
  }

  function offer(text: string): Promise<Response> {
    const headers = { 'content-type': 'application/sdp', connection: 'close' }
    const url = `http://127.0.0.1:${server.ports.http}/webrtc/whep/${TARGET}`
    return fetch(url, { method: 'POST', headers, body: text })
  }

  /** What is said of peers that were not reached is what an operator has to know, and no problem here. */
  function takeUnreached(): string[] {
    const lines = server.problems.filter(({ msg }) => msg === 'the peer could not be reached')
    for (const line of lines) server.lines.splice(server.lines.indexOf(line), 1)
    return lines.map(({ reason = '' }) => reason)
  }

  function viewersAreGone(timeoutMs?: number): Promise<unknown> {
    const gone = async () => (await server.sessions()).subscribers === HEALTHY_VIEWERS + 1
    return waitFor(gone, {
      what: 'the viewers to be gone',
      intervalMs: 200,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
  }

  for (const { name, text, status } of BROKEN) {
    it(`refuses an offer of ${name}`, async () => {
      const response = await offer(text)
      expect(response.status).to.equal(status)
      expect((await response.text()).length).to.be.within(20, 1000)
    })
  }

  it('keeps no more than it has room for of offers that never complete', async () => {
    const before = await server.holdings()
    const sessions: string[] = []
    for (let index = 0; index < OFFERS; index++) {
      const response = await offer(OFFER)
      expect(response.status).to.equal(201)
      await response.text()
      sessions.push(response.headers.get('location') ?? '')
    }
    const { subscribers } = await server.sessions()
    expect(subscribers).to.be.within(HEALTHY_VIEWERS + 2, HEALTHY_VIEWERS + 1 + MAX_CONNECTING)
    for (const session of sessions) {
      await fetch(`http://127.0.0.1:${server.ports.http}${session}`, {
        method: 'DELETE',
        headers: { connection: 'close' },
      })
    }
    await viewersAreGone()
    for (const reason of takeUnreached()) expect(reason).to.match(/made room|no way to the peer/u)
    const { publishers, subscribers: left, timers, descriptors, heapBytes } = await server.holdings()
    expect({ publishers, left }).to.eql({ publishers: before.publishers, left: before.subscribers })
    expect(timers).to.be.at.most(before.timers + MARGIN)
    expect(descriptors).to.be.at.most(before.descriptors + MARGIN)
    expect(heapBytes).to.be.below(before.heapBytes + MAX_HEAP_GROWTH_BYTES)
  })

  it('answers none of a flood of checks, handshakes and noise, from however many addresses', async () => {
    const { address, port, usernameFragment } = viewer.answer
    const sockets = await Promise.all(Array.from({ length: 50 }, (_, index) => udpSocket(`127.0.1.${index + 1}`)))
    let answers = 0
    for (const socket of sockets) socket.on('message', () => answers++)
    const check = (username: string) =>
      serializeStun({ class: 'request', transactionId: Buffer.alloc(12, 3), username, priority: 1 }, 'a wrong password')
    const kinds = [
      check(`${usernameFragment}:x`),
      check('nobody:x'),
      check(`${'x'.repeat(500)}:x`),
      CLIENT_HELLO,
      Buffer.of(0x80, 200, 0, 6),
      Buffer.alloc(0),
      ...Array.from({ length: 10 }, (_, index) => noise(index * 140, index)),
    ]
    const { descriptors } = await server.usage()
    for (let index = 0; index < FLOOD_DATAGRAMS; index++) {
      sockets[index % sockets.length]!.send(kinds[index % kinds.length]!, port, address)
      if (index % DATAGRAMS_PER_TURN === 0) await turn()
    }
    const before = viewer.pictureCount
    await waitFor(() => viewer.pictureCount > before + 5, { what: 'pictures by WHEP' })
    expect(answers).to.equal(0)
    expect((await server.usage()).descriptors).to.be.at.most(descriptors + MARGIN)
  })

  it('ends connections that send garbage, and keeps few that send nothing', async () => {
    const port = viewer.tcpPort
    const { descriptors } = await server.usage()
    const garbage = [
      noise(1024 * 1024),
      Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      Buffer.concat([Buffer.of(0xff, 0xff), Buffer.alloc(70_000)]),
      serializeFrames([CLIENT_HELLO]),
    ]
    for (const bytes of garbage) {
      const client = await BadClient.dial(port)
      client.socket.write(bytes)
      await client.closed
    }
    const silent: BadClient[] = []
    for (let index = 0; index < OFFERS; index++) silent.push(await BadClient.dial(port))
    const open = () => silent.filter(({ socket }) => !socket.destroyed).length
    await waitFor(() => open() <= MAX_UNCHECKED, { what: 'the oldest to be closed' })
    expect((await server.usage()).descriptors).to.be.at.most(descriptors + MAX_UNCHECKED + MARGIN)
    for (const { socket } of silent) socket.destroy()
  })

  it('sends nothing to a viewer whose certificate is not the one that it announced', async () => {
    const bad = await play((text) => text.replace(/(fingerprint:sha-256) .*/u, `$1 ${FINGERPRINT}`))
    await viewersAreGone()
    expect(bad.packetCount).to.equal(0)
    expect(takeUnreached().join()).to.include('the certificate of the peer has another fingerprint')
  })

  it('sends no media to who repeats what a viewer has sent, and does not take it from them', async () => {
    const heard: Buffer[] = []
    const socket = await udpSocket('127.0.2.1')
    socket.on('message', (datagram) => heard.push(datagram))
    viewer.report()
    const { address, port } = viewer.answer
    expect(new Set(viewer.sent.map(kindOf))).to.eql(new Set(['STUN', 'DTLS', 'SRTP']))
    for (const datagram of viewer.sent) socket.send(datagram, port, address)
    // The server has to look whether the viewer has moved, and checks this address; nobody there answers.
    await waitFor(() => heard.length > 0, { what: 'a check of the address' })
    const before = viewer.pictureCount
    await waitFor(() => viewer.pictureCount > before + 50, { what: 'two seconds of pictures by WHEP' })
    expect(new Set(heard.map(kindOf))).to.eql(new Set(['STUN']))
  })

  it('finds out that a viewer was killed', async () => {
    const killed = await play()
    await waitFor(() => killed.pictureCount > 0, { what: 'the first picture' })
    killed.vanish()
    await viewersAreGone(CONSENT_LOST_WITHIN_MS)
    const isTold = () => server.lines.some(({ reason }) => reason === 'the peer no longer answers')
    await waitFor(isTold, { what: 'a log line' })
  })
})
