import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import { playSrtByFfmpeg, publishSrtByFfmpeg } from '../../peers/ffmpeg-srt.ts'
import { freeUdpPort } from '../../peers/free-port.ts'
import { keep } from '../../peers/lifetime.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { isUdpPortBound } from '../../peers/udp-sockets.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { knownSource, type KnownSource } from '../known-source.ts'
import { compareFrames } from '../rtsp/frame-comparison.ts'
import type { LinkPolicy } from './bad-link.ts'
import { SrtLossyProxy } from './lossy-proxy.ts'
import { SRT_CONTROL } from './srt-datagram.ts'

const HEADER_BYTES = 16
const RETRANSMITTED = 0x04
const MISSING_AT_END_MS = 250

function data(sequence: number, flags = 0): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + 4)
  bytes.writeUInt32BE(sequence)
  bytes[4] = flags
  return bytes
}

function control(type: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeUInt32BE((0x8000_0000 | (type << 16)) >>> 0)
  return bytes
}

/** What was sent, in words. */
function nameOf(datagram: Buffer): string {
  const first = datagram.readUInt32BE()
  return first < 0x8000_0000 ? `${first}${datagram[4] === RETRANSMITTED ? 'r' : ''}` : `type ${(first >>> 16) & 0x7fff}`
}

class End {
  readonly came: string[] = []
  readonly from: RemoteInfo[] = []
  readonly socket: Socket

  private constructor(socket: Socket) {
    this.socket = socket
    keep({ close: () => void socket.close() })
    socket.on('message', (datagram, from) => {
      this.came.push(nameOf(datagram))
      this.from.push(from)
    })
  }

  static async open(): Promise<End> {
    const socket = createSocket('udp4')
    const listening = once(socket, 'listening')
    socket.bind(0, '127.0.0.1')
    await listening
    return new End(socket)
  }

  get port(): number {
    return this.socket.address().port
  }

  send(port: number, ...datagrams: readonly Buffer[]): void {
    for (const datagram of datagrams) this.socket.send(datagram, port, '127.0.0.1')
  }
}

async function proxied(policies: NonNullable<Parameters<typeof SrtLossyProxy.start>[0]['policies']> = {}) {
  const [client, server] = [await End.open(), await End.open()]
  return { client, server, proxy: await SrtLossyProxy.start({ serverPort: server.port, policies }) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('the lossy proxy of SRT', () => {
  it('gives each client a port of its own, and its answers to it', async () => {
    const { client, server, proxy } = await proxied()
    const other = await End.open()
    client.send(proxy.port, data(1))
    await waitFor(() => server.came.length === 1)
    other.send(proxy.port, data(2))
    await waitFor(() => server.came.length === 2)
    expect(server.came).to.eql(['1', '2'])
    const [ofClient, ofOther] = server.from
    expect(ofClient!.port).not.to.equal(ofOther!.port)
    server.send(ofOther!.port, data(22))
    server.send(ofClient!.port, data(11))
    await waitFor(() => client.came.length + other.came.length === 2)
    expect([client.came, other.came]).to.eql([['11'], ['22']])
    expect([client.from[0]?.port, other.from[0]?.port]).to.eql([proxy.port, proxy.port])
    expect(proxy.clientPorts).to.eql([ofClient!.port, ofOther!.port])
    expect(proxy.counts('toServer')).to.include({ came: 2, data: 2, dropped: 0 })
  })

  it('loses what it is told to, each way, and counts it', async () => {
    const { client, server, proxy } = await proxied({
      toServer: { isDropped: ({ sequence, isRetransmitted }) => sequence === 2 && !isRetransmitted },
      toClient: { isDropped: ({ controlType, index }) => controlType === SRT_CONTROL.acknowledgement && index > 0 },
    })
    client.send(proxy.port, data(1), data(2), data(2, RETRANSMITTED), data(3))
    await waitFor(() => server.came.length === 3)
    expect(server.came).to.eql(['1', '2r', '3'])
    const { acknowledgement, lossReport } = SRT_CONTROL
    server.send(server.from[0]!.port, control(acknowledgement), control(acknowledgement), control(lossReport))
    await waitFor(() => client.came.length === 2)
    expect(client.came).to.eql(['type 2', 'type 3'])
    expect(proxy.counts('toServer')).to.include({ came: 4, data: 4, dropped: 1, droppedData: 1 })
    expect(proxy.counts('toClient')).to.include({ came: 3, data: 0, dropped: 1, droppedData: 0 })
  })

  async function pass(policy: LinkPolicy, count = 1000) {
    const { client, server, proxy } = await proxied({ toServer: policy })
    for (const sequence of numbers(count)) {
      client.send(proxy.port, data(sequence))
      if (sequence % 20 === 0) await waitFor(() => proxy.counts('toServer').came > sequence, { intervalMs: 1 })
    }
    await waitFor(() => proxy.counts('toServer').came === count)
    const counts = proxy.counts('toServer')
    await waitFor(() => server.came.length === count - counts.dropped + counts.duplicated, { what: 'the last' })
    return { came: server.came.map(Number), counts: proxy.counts('toServer') }
  }

  it('loses shares and bursts, the same with the same seed', async () => {
    const shares = { dropShare: 0.1, seed: 5 }
    const first = await pass(shares)
    expect(first.counts.dropped).to.be.within(70, 130)
    expect(first.came).to.eql(first.came.toSorted((a, b) => a - b))
    expect((await pass(shares)).came).to.eql(first.came)
    expect((await pass({ ...shares, seed: 6 })).came).not.to.eql(first.came)
    const { came, counts } = await pass({ bursts: { share: 0.005, packetCount: 20 } })
    const gaps = came.flatMap((number, index) =>
      index > 0 && number > came[index - 1]! + 1 ? number - came[index - 1]! - 1 : [],
    )
    expect(gaps.length).to.be.above(1)
    expect(gaps.filter((gap) => gap % 20 !== 0)).to.eql([])
    expect(counts.dropped).to.be.at.least(20 * gaps.length)
  })

  it('doubles, delays and reorders', async () => {
    const doubled = await pass({ duplicateShare: 0.2 })
    expect(doubled.counts.duplicated).to.be.within(150, 250)
    const { came, counts } = await pass({ reorderShare: 0.1, reorderByMs: 30 }, 500)
    expect(came.toSorted((a, b) => a - b)).to.eql(numbers(500))
    expect(counts.reordered).to.be.within(1, 90)
    const jittered = await pass({ delayMs: 20, jitterMs: 100 }, 200)
    expect(jittered.came.toSorted((a, b) => a - b)).to.eql(numbers(200))
    expect(jittered.counts.reordered).to.be.above(50)
  })

  it('spares handshakes unless it is told not to', async () => {
    for (const alsoHandshakes of [false, true]) {
      const { client, server, proxy } = await proxied({ toServer: { dropShare: 1, alsoHandshakes } })
      client.send(proxy.port, control(SRT_CONTROL.handshake), control(SRT_CONTROL.keepAlive))
      await waitFor(() => proxy.counts('toServer').came === 2)
      expect(proxy.counts('toServer').dropped).to.equal(alsoHandshakes ? 2 : 1)
      if (!alsoHandshakes) await waitFor(() => server.came.length === 1)
    }
  })

  it('passes on nothing when it is closed', async () => {
    const policies = { toServer: { delayMs: 50 } }
    const { client, server, proxy } = await proxied(policies)
    const later = await SrtLossyProxy.start({ serverPort: server.port, policies })
    client.send(proxy.port, data(1))
    await waitFor(() => proxy.counts('toServer').came === 1)
    proxy.close()
    client.send(later.port, data(2))
    await waitFor(() => server.came.length > 0)
    expect(server.came).to.eql(['2'])
  })

  describe('between ffmpeg and ffmpeg', () => {
    let source: KnownSource
    before(async function () {
      requirePeer(this, 'ffmpeg')
      requirePeer(this, 'srt')
      source = await knownSource({ videoCodec: 'h264', audioCodec: 'aac' })
    })

    async function send(policy: LinkPolicy, latencyMs: number) {
      const serverPort = await freeUdpPort()
      const policies = { toServer: policy, toClient: { ...policy, seed: 2 } }
      const proxy = await SrtLossyProxy.start({ serverPort, policies })
      const playing = playSrtByFfmpeg({ port: serverPort, mode: 'listener', latencyMs }, { lossy: true })
      playing.catch(() => undefined)
      await waitFor(() => isUdpPortBound(serverPort), { what: 'ffmpeg to listen' })
      await publishSrtByFfmpeg(source.file, { port: proxy.port, latencyMs }).succeed()
      return { frames: await playing, counts: proxy.counts('toServer') }
    }

    it('what is lost, doubled and late comes in time all the same', async () => {
      const policy = { dropShare: 0.1, duplicateShare: 0.05, delayMs: 10, jitterMs: 20 }
      const { frames, counts } = await send(policy, 1000)
      // What is lost last is not sent again: nothing follows it that would show it.
      compareFrames(source, frames, { missingAtEndMs: MISSING_AT_END_MS, cutAtEnd: true, audioShiftMs: 1 })
      expect(counts.droppedData).to.be.above(20)
      expect(counts.reordered).to.be.above(20)
    })

    it('what is lost each time that it is sent does not', async () => {
      const { frames, counts } = await send({ isDropped: ({ sequence }) => sequence % 40 === 7 }, 120)
      expect(counts.droppedData).to.be.above(3)
      expect(() => compareFrames(source, frames)).to.throw(/^(?:video|audio): /u)
    })
  })
})
