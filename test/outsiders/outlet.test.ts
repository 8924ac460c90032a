import { cp, mkdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { FlvReader, splitAnnexB, TsDemuxer, TS_PACKET_SIZE_BYTES } from 'sluice/sdk/media'
import { RecordingSink } from '../../sdk/media/container/flv/fixtures/recording-sink.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { FlvFrames } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const FILE = path.join(import.meta.dirname, 'outlet.ts')
const VIEWERS = 50

type Listed = { readonly sentBytes: string; readonly pluginName: string; readonly details: Record<string, number> }

/** A viewer by TCP, with all that it was sent. */
class TcpViewer {
  readonly #received: Buffer[] = []

  private constructor(port: number, request: string) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(`${request}\n`)
    socket.on('data', (bytes: Buffer) => this.#received.push(bytes))
    keep({ close: () => void socket.destroy() })
  }

  static of(server: RunningServer, request: string): TcpViewer {
    return new TcpViewer(server.pluginPort('outlet'), request)
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#received)
  }
}

function flvFrames(bytes: Buffer): FlvFrames {
  const frames = new FlvFrames()
  for (const tag of new FlvReader().push(bytes)) frames.push(tag)
  return frames
}

/** The packets of a viewer: their numbers, and their bytes put together. */
function parsePackets(bytes: Buffer) {
  const numbers: number[] = []
  const payloads: Buffer[] = []
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt16BE(at + 2)
    numbers.push(bytes.readUInt16BE(at))
    payloads.push(bytes.subarray(at + 4, end))
    at = end
  }
  return { numbers, payload: Buffer.concat(payloads) }
}

describe('a plugin that plays by TCP, WebSocket and packets', () => {
  let server: RunningServer
  let source: FlvFile
  let pictures: number

  beforeEach(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({
      config: config('30s'),
      prepare: async (folder) => {
        await mkdir(path.join(folder, 'plugins'))
        await cp(FILE, path.join(folder, 'plugins', 'outlet.ts'))
      },
    })
    source = await makeFlvFile(path.join(server.folder, 'source.flv'), { video: { gopFrames: 25 } })
    pictures = source.frames.filter(({ kind }) => kind === 'video').length
  })

  /** Another queue time makes another generation of each plugin. */
  function config(queueTime: string): string {
    return `
global:
  plugins_dir: plugins
  publish: { buffertime: 30s }
  subscribe: { submode: 2, buffertime: 30s, queuetime: ${queueTime} }
outlet: { tcp: { listenaddr: '127.0.0.1:0' } }
`
  }

  async function publish(): Promise<void> {
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/a') })
    for (const tag of source.tags) publisher.send(tag)
  }

  /** How many muxers a format has. */
  async function muxers(format: string): Promise<number> {
    const metrics = await (await fetch(server.http('/metrics'))).text()
    const [, count = '0'] =
      new RegExp(`^sluice_stream_muxers\\{.*format="${format}"\\} (\\d+)$`, 'mu').exec(metrics) ?? []
    return Number(count)
  }

  const generations = () =>
    server.server.host.list().flatMap(({ name, generation }) => (name === 'flv' || name === 'outlet' ? generation : []))

  it('shares one muxer with the viewers of another plugin, over reloads of both', async () => {
    await publish()
    const viewers: FlvFrames[] = []
    const tcp: TcpViewer[] = []
    const come = async () => {
      const urls = [server.http('/flv/live/a'), server.ws('/flv/live/a'), server.http('/outlet/live/a')]
      viewers.push(...[...urls, server.ws('/outlet/live/a')].map((url) => new FlvViewer(url).received))
      tcp.push(TcpViewer.of(server, 'flv live/a'))
      await waitFor(() => viewers.every(({ frames }) => frames.length >= source.frames.length))
      await waitFor(() => tcp.every(({ bytes }) => flvFrames(bytes).frames.length >= source.frames.length))
    }
    await come()
    expect(await muxers('flv')).to.equal(1)

    const before = generations()
    await server.writeConfig(config('31s'))
    await server.server.reload()
    await waitFor(() => generations().every((generation, index) => generation > before[index]!), { what: 'reloads' })
    await come()
    expect(viewers).to.have.length(8)
    expect(await muxers('flv')).to.equal(1)
    for (const { frames } of [...viewers, ...tcp.map(({ bytes }) => flvFrames(bytes))]) {
      expect(frames.map(({ md5 }) => md5)).to.eql(source.frames.map(({ md5 }) => md5))
    }
    expect(server.problems).to.eql([])
  })

  it('plays MPEG-TS, and a format of its own', async () => {
    await publish()
    const ts = TcpViewer.of(server, 'mpegts live/a')
    const h264 = TcpViewer.of(server, 'h264 live/a')
    const units = (bytes: Buffer) => {
      const sink = new RecordingSink()
      const demuxer = new TsDemuxer(sink)
      demuxer.push(bytes.subarray(0, bytes.length - (bytes.length % TS_PACKET_SIZE_BYTES)))
      demuxer.flush()
      return sink.units.filter(({ track }) => track.kind === 'video')
    }
    await waitFor(() => units(ts.bytes).length === pictures, { what: 'all pictures by MPEG-TS' })
    const nalus = () => splitAnnexB(h264.bytes).map((nalu) => nalu[0]! & 0x1f)
    await waitFor(() => nalus().filter((type) => type === 1 || type === 5).length >= pictures, { what: 'all pictures' })
    expect(nalus().slice(0, 2)).to.eql([7, 8])
    expect(server.problems).to.eql([])
  })

  it(`cuts a unit into packets once for ${VIEWERS} viewers, whose numbers are their own`, async () => {
    await publish()
    const viewers = Array.from({ length: VIEWERS }, () => TcpViewer.of(server, 'packets live/a'))
    const listed = async () => (await server.api('/api/subscribers/live/a?pageSize=100')).body['data'] as Listed[]
    const complete = async () => {
      const all = (await listed()).filter(({ sentBytes, details }) => {
        return Number(sentBytes) > 0 && details['unitsCut'] === pictures
      })
      return all.length === VIEWERS ? all : null
    }
    const [first] = await waitFor(complete, { what: 'that all was sent to all' })
    const sentBytes = Number(first?.sentBytes)
    await waitFor(() => viewers.every(({ bytes }) => bytes.length === sentBytes), { what: 'all packets' })

    const parsed = viewers.map(({ bytes }) => parsePackets(bytes))
    expect(parsed[0]?.payload.length).to.be.above(0)
    for (const { numbers, payload } of parsed) {
      expect(payload.equals(parsed[0]!.payload)).to.equal(true)
      const [first = 0] = numbers
      expect(numbers).to.eql(numbers.map((_, index) => (first + index) % 2 ** 16))
    }
    expect(new Set(parsed.map(({ numbers }) => numbers[0])).size).to.be.above(1)
    expect((await listed()).map(({ details }) => details['unitsCut'])).to.eql(Array(VIEWERS).fill(pictures))
    expect(server.problems).to.eql([])
  })

  it('is the plugin of docs/plugins/outputs.md', async () => {
    const block = await blocksOf('docs/plugins/outputs.md', 'ts')
    expect(block("name: 'outlet'")).to.equal(await readFile(FILE, 'utf8'))
  })
})
