import { rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { finishedFiles, placeOf, type ListedFile } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SECONDS = 5
const CONFIG = `mp4: { onpub: { record: { ^live/: { filepath: '{stream}', fragment: 2s } } } }\n`

describe('downloads of recordings', () => {
  let server: RunningServer
  let files: ListedFile[]
  let source: readonly ProbedPacket[]
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
    const url = path.join(server.folder, 'source.mp4')
    await makeTestFile({ url, durationSeconds: SECONDS, video: { bFrames: 2 } })
    source = await ffprobePackets(url)
    await publishFile(url, server.rtmp('live/cam')).succeed()
    files = await finishedFiles(server, 'mp4', 3)
  })
  after(() => server?.stop())

  const hashes = (packets: readonly ProbedPacket[], kind: string) =>
    packets.filter((packet) => packet.kind === kind).map(({ md5 }) => md5)

  async function download(target: string): Promise<{ response: Response; packets: ProbedPacket[]; bytes: Buffer }> {
    const response = await fetch(server.http(`/mp4/download/${target}`))
    const bytes = Buffer.from(await response.arrayBuffer())
    const file = path.join(server.folder, 'download.mp4')
    await writeFile(file, bytes)
    return { response, bytes, packets: response.ok ? await ffprobePackets(file) : [] }
  }

  it('are one file by its id, with its index in front', async () => {
    const [first] = files
    const { response, bytes, packets } = await download(`live/cam.mp4?id=${first!.id}`)
    expect(response.headers.get('content-type')).to.equal('video/mp4')
    expect(response.headers.get('content-disposition')).to.include(`filename="live_cam_${first!.id}.mp4"`)
    expect(hashes(packets, 'video')).to.eql(hashes(source, 'video').slice(0, 50))
    const [moov, mdat, moof] = ['moov', 'mdat', 'moof'].map((type) => bytes.indexOf(type))
    expect(moov).to.be.within(0, mdat!)
    expect(moof).to.equal(-1)
  })

  for (const ending of ['.mp4', '.fmp4', '']) {
    it(`are all files of a time as one (${ending || 'without ending'})`, async () => {
      const range = `${Date.parse(files[0]!.startTime)}~${Date.parse(files.at(-1)!.endTime)}`
      const { packets } = await download(`live/cam${ending}?range=${range}`)
      expect(hashes(packets, 'video')).to.eql(hashes(source, 'video'))
      const sound = hashes(packets, 'audio')
      expect(sound).to.eql(hashes(source, 'audio').slice(-sound.length))
      const times = packets.filter(({ kind }) => kind === 'video').map(({ dtsMs }) => dtsMs ?? 0)
      const off = times.map((time, index) => Math.abs(time - times[0]! - index * 40))
      expect(Math.max(...off)).to.be.below(3)
    })
  }

  it('are cut at the keyframe before a time', async () => {
    const startMs = Date.parse(files[0]!.startTime)
    const { packets, response } = await download(`live/cam.mp4?start=${startMs + 2500}&end=${startMs + 4000}`)
    expect(hashes(packets, 'video')).to.eql(hashes(source, 'video').slice(50, 100))
    expect(response.headers.get('content-disposition')).to.match(/filename="live_cam_\d{10}_\d{10}\.mp4"/u)
  })

  it('have nothing of the file that ends where a time begins', async () => {
    const [first, second] = files.map(({ endTime }) => Date.parse(endTime))
    const { packets } = await download(`live/cam.mp4?start=${first}&end=${second}`)
    expect(hashes(packets, 'video')).to.eql(hashes(source, 'video').slice(50, 100))
  })

  it('are prepared once for requests one after another, also without an end', async () => {
    const place = placeOf(server, files[0]!)
    for (const query of [`id=${files[0]!.id}`, `start=${Date.parse(files[0]!.startTime)}`]) {
      const { bytes, response } = await download(`live/cam.mp4?${query}`)
      expect(response.headers.get('cache-control')).to.equal('private, no-cache')
      // What is prepared is not looked at again.
      await rename(place, `${place}.away`)
      const head = await fetch(server.http(`/mp4/download/live/cam.mp4?${query}`), { method: 'HEAD' })
      await rename(`${place}.away`, place)
      expect([head.status, head.headers.get('content-length')], query).to.eql([200, String(bytes.length)])
      expect(head.headers.get('etag')).to.equal(response.headers.get('etag'))
    }
  })

  it('come by parts, which are the same as the whole', async () => {
    const target = `live/cam.mp4?range=${Date.parse(files[0]!.startTime)}~${Date.parse(files.at(-1)!.endTime)}`
    const { bytes, response } = await download(target)
    const etag = response.headers.get('etag') ?? ''
    for (const [first, last] of [
      [0, 99],
      [1000, bytes.length - 1],
      [bytes.length - 5, bytes.length - 1],
    ] as const) {
      const headers = { range: `bytes=${first}-${last}`, 'if-range': etag }
      const part = await fetch(server.http(`/mp4/download/${target}`), { headers })
      expect(part.status).to.equal(206)
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(first, last + 1))).to.equal(true)
    }
    const past = await fetch(server.http(`/mp4/download/${target}`), { headers: { range: `bytes=${bytes.length}-` } })
    expect([past.status, past.headers.get('content-range')]).to.eql([416, `bytes */${bytes.length}`])
    await past.body?.cancel()
  })

  it('are refused where there is nothing, or nothing is named', async () => {
    for (const [target, status] of [
      ['live/cam.mp4?id=999', 404],
      [`live/other.mp4?id=${files[0]!.id}`, 404],
      ['live/cam.mp4?start=1500000000&end=1500000100', 404],
      ['live/cam.mp4', 400],
      ['live/cam.mp4?id=x', 400],
      ['live/cam.mp4?id=2147483648', 400],
      ['live/cam.mp4?start=yesterday', 400],
      ['../../etc/passwd?id=1', 404],
      ['..%2f..%2fetc%2fpasswd?id=1', 400],
      ['live/%2e%2e/x.mp4?id=1', 404],
    ] as const) {
      const response = await fetch(server.http(`/mp4/download/${target}`))
      expect(response.status, target).to.equal(status)
      await response.body?.cancel()
    }
  })

  it('are for those who may play the stream', async () => {
    const config = `${CONFIG}global: { enableauth: true, subscribe: { key: secret-key } }\n`
    const other = await startServer({ config })
    const response = await fetch(other.http('/mp4/download/live/cam.mp4?id=1'))
    expect(response.status).to.equal(401)
    await response.body?.cancel()
    const stream_path = 'live/cam'
    const signed = await other.api(`/v6/api/streams/secret?stream_path=${stream_path}&type=subscribe`)
    const { secret, expire } = signed.body as unknown as { secret: string; expire: string }
    const let_in = await fetch(other.http(`/mp4/download/live/cam.mp4?id=1&secret=${secret}&expire=${expire}`))
    expect(let_in.status).to.equal(404)
    await let_in.body?.cancel()
    await other.stop()
  })

  it('have nothing to warn of', () => {
    expect(server.problems).to.eql([])
  })
})
