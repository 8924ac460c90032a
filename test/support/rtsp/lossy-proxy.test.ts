import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { playRtspByFfmpeg, publishRtspByFfmpeg } from '../../peers/ffmpeg-rtsp.ts'
import { freePort } from '../../peers/free-port.ts'
import { keep } from '../../peers/lifetime.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { compareFrames } from './frame-comparison.ts'
import { publishWhenListening } from './listening-ffmpeg.ts'
import type { LossPolicy } from './lossy-flow.ts'
import { LossyProxy } from './lossy-proxy.ts'
import { RtspMessageReader, serializeFrame } from './message-reader.ts'
import { openPortPair, type PortPair } from './port-pair.ts'
import { RtspProbe } from './rtsp-probe.ts'
import { rtspSource, type RtspSource } from './rtsp-source.ts'

const URL = 'rtsp://127.0.0.1/live/lossy'
const FRAME = { channel: 3, data: Buffer.from('hello') }
const KEPT_BY_FFMPEG_MS = 100
/** When it listens, ffmpeg puts nothing in order unless it is told to. */
const LISTEN_IN_ORDER = ['-rtsp_flags', 'listen', '-max_delay', '500000']

async function ports(): Promise<PortPair & { readonly came: string[]; readonly from: number[] }> {
  const pair = await openPortPair()
  const came: string[] = []
  const from: number[] = []
  for (const socket of [pair.rtp, pair.rtcp]) {
    keep({ close: () => void socket.close() })
    socket.on('message', (datagram, { port }) => {
      came.push(datagram.subarray(-1).toString())
      from.push(port)
    })
  }
  return { ...pair, came, from }
}

function rtp(sequenceNumber: number, text: string): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt16BE(sequenceNumber, 2)
  bytes.writeUInt32BE(99, 8)
  bytes.write(text, 12)
  return bytes
}

/** A server that agrees to everything, on the ports given, and sends an interleaved packet after PLAY. */
async function scriptedServer(port: number, transports: string[]): Promise<number> {
  const server = createServer((socket) => {
    const reader = new RtspMessageReader()
    socket.on('data', (bytes: Buffer) => {
      for (const part of reader.push(bytes)) {
        if ('channel' in part) continue
        const transport = part.headers.get('transport')
        if (transport !== undefined) transports.push(transport)
        const agreed = transport === undefined ? '' : `Transport: ${transport};server_port=${port}-${port + 1}\r\n`
        socket.write(`RTSP/1.0 200 OK\r\nCSeq: ${part.headers.get('cseq')}\r\nSession: 1\r\n${agreed}\r\n`)
        if (part.startLine.startsWith('PLAY')) socket.write(serializeFrame(FRAME))
      }
    })
    socket.on('error', () => {})
  })
  keep({ close: () => void server.close() })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('the lossy proxy', () => {
  it('exchanges the ports, and relays both ways as its policies say', async () => {
    const [client, server] = [await ports(), await ports()]
    const transports: string[] = []
    const proxy = await LossyProxy.start({
      serverPort: await scriptedServer(server.port, transports),
      policies: {
        toClient: { isDropped: ({ rtcp, sequenceNumber }) => !rtcp && sequenceNumber === 2 },
        toServer: { duplicateShare: 1 },
      },
    })
    const probe = await RtspProbe.connect({ port: proxy.port })
    const asked = `RTP/AVP;unicast;client_port=${client.port}-${client.port + 1}`
    const answer = await probe.request('SETUP', `${URL}/0`, { headers: { Transport: asked } })
    const relayPort = Number(/server_port=(\d+)-/u.exec(answer.headers.get('transport') ?? '')?.[1])
    expect(answer.headers.get('transport')).to.equal(`${asked};server_port=${relayPort}-${relayPort + 1}`)
    expect(transports).to.eql([`RTP/AVP;unicast;client_port=${relayPort}-${relayPort + 1}`])
    expect([client.port, server.port]).not.to.include(relayPort)

    for (const [number, text] of ['a', 'b', 'c', 'd'].entries())
      server.rtp.send(rtp(number, text), relayPort, '127.0.0.1')
    await waitFor(() => client.came.length === 3, { what: 'the packets' })
    server.rtcp.send('report r', relayPort + 1, '127.0.0.1')
    await waitFor(() => client.came.length === 4, { what: 'the report' })
    expect(client.came).to.eql(['a', 'b', 'd', 'r'])
    expect(client.from).to.eql([relayPort, relayPort, relayPort, relayPort + 1])
    client.rtcp.send('report s', relayPort + 1, '127.0.0.1')
    client.rtp.send(rtp(9, 'e'), relayPort, '127.0.0.1')
    await waitFor(() => server.came.length === 3, { what: 'what the client sent' })
    expect(server.came.toSorted()).to.eql(['e', 'e', 's'])
    expect(proxy.counts('toClient').get(99)).to.eql({ came: 4, dropped: 1, duplicated: 0, reordered: 0 })
    expect(proxy.total('toServer')).to.eql({ came: 1, dropped: 0, duplicated: 1, reordered: 0 })

    expect((await probe.request('PLAY', URL)).status).to.equal(200)
    await waitFor(() => probe.frames.length === 1, { what: 'the packet in the connection' })
    expect(probe.frames).to.eql([FRAME])
    probe.close()
  })

  it('sends what it holds back before the end', async () => {
    const [client, server] = [await ports(), await ports()]
    const policies = { toClient: { reorderShare: 1, reorderBy: 5 } }
    const proxy = await LossyProxy.start({ serverPort: await scriptedServer(server.port, []), policies })
    const probe = await RtspProbe.connect({ port: proxy.port })
    const asked = `RTP/AVP;unicast;client_port=${client.port}-${client.port + 1}`
    const { headers } = await probe.request('SETUP', `${URL}/0`, { headers: { Transport: asked } })
    const relayPort = Number(/server_port=(\d+)-/u.exec(headers.get('transport') ?? '')?.[1])
    server.rtp.send(rtp(0, 'a'), relayPort, '127.0.0.1')
    await waitFor(() => proxy.total('toClient').came === 1)
    await probe.request('TEARDOWN', URL)
    await waitFor(() => client.came.length === 1, { what: 'the packet' })
  })

  describe('between ffmpeg and ffmpeg', () => {
    let source: RtspSource
    before(async function () {
      requirePeer(this, 'ffmpeg')
      source = await rtspSource('H.264 and AAC')
    })

    async function send(toServer: LossPolicy) {
      const serverPort = await freePort()
      const proxy = await LossyProxy.start({ serverPort, policies: { toServer } })
      const url = (port: number) => `rtsp://127.0.0.1:${port}/live/lossy`
      const playing = playRtspByFfmpeg(url(serverPort), 'udp', { input: LISTEN_IN_ORDER, lossy: true })
      const publish = () => publishRtspByFfmpeg(source.file, url(proxy.port), 'udp')
      const [frames] = await Promise.all([playing, publishWhenListening(publish)])
      return { frames, total: proxy.total('toServer'), counts: proxy.counts('toServer') }
    }

    it('loses nothing by itself, and what it reorders can be put in order', async () => {
      const { frames, total, counts } = await send({ reorderShare: 0.1, reorderBy: 2 })
      compareFrames(source, frames, { missingAtEndMs: KEPT_BY_FFMPEG_MS, audioShiftMs: 2 })
      expect(counts.size).to.equal(2)
      expect(total.reordered).to.be.above(10)
    })

    it('loses packets, and the sound that comes is in order', async () => {
      const { frames, total } = await send({ dropShare: 0.03 })
      expect(total.dropped).to.be.above(3)
      const audio = frames.filter(({ kind }) => kind === 'audio')
      const places = audio.map(({ data }) => source.audio.findIndex((frame) => frame.data.equals(data)))
      expect(places).to.eql([...new Set(places)].toSorted((a, b) => a - b))
      expect(places).to.not.include(-1)
      expect(places.length).to.be.within(100, source.audio.length - 1)
    })
  })
})
