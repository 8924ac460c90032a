import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { framemd5, makeTestFile } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { FileServer } from '../support/file-server.ts'
import { comparable, type ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { packAudio } from '../support/packed-audio.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SECONDS = 3
/** Frames that a decoder gives at the end of a stream only. */
const HELD_BACK = 5
const VARIANTS = ['ts', 'fmp4', 'single', 'encrypted', 'apart', 'packed'] as const

const ofKind = <Frame extends { readonly kind: string }>(frames: readonly Frame[], kind: string) =>
  frames.filter((frame) => frame.kind === kind)

/** The decoded pictures that a viewer sees. */
async function pictures(url: string, count: number): Promise<string[]> {
  const frames = await framemd5(url, { videoFrames: count })
  return frames.filter(({ stream }) => stream === 0).map(({ md5 }) => md5)
}

describe('pull of HLS that has an end', () => {
  let folder: string
  let source: ProbedPacket[]
  let sourcePictures: string[]
  let web: FileServer
  let server: RunningServer
  const viewers = new Map<string, FlvViewer>()
  const decoded = new Map<string, Promise<string[]>>()

  /** Cuts the source into segments of a second. */
  async function cut(name: string, args: readonly string[], inputs: readonly string[] = []): Promise<void> {
    const common = ['-hls_time', '1', '-hls_playlist_type', 'vod', '-f', 'hls']
    const input = ['-v', 'error', '-nostdin', '-i', path.join(folder, 'source.flv'), ...inputs]
    await runPeer('ffmpeg', [...input, '-c', 'copy', ...args, ...common, path.join(folder, `${name}.m3u8`)])
  }

  /** Sound as packed audio, beside the pictures in MPEG-TS, at the time that it has beside them in the source. */
  async function pack(): Promise<void> {
    const adts = await runPeer('ffmpeg', [
      '-v',
      'error',
      '-nostdin',
      '-i',
      path.join(folder, 'source.flv'),
      '-vn',
      '-c',
      'copy',
      '-f',
      'adts',
      '-',
    ])
    const [picture] = ofKind(await ffprobePackets(path.join(folder, 'packed-video.m3u8')), 'video')
    const laterMs = ofKind(source, 'audio')[0]!.ptsMs! - ofKind(source, 'video')[0]!.ptsMs!
    const segments = packAudio(adts, (picture!.ptsMs! + laterMs) * 90, 43)
    const lines = segments.map(({ durationSeconds }, index) => `#EXTINF:${durationSeconds},\np${index}.aac\n`)
    for (const [index, { bytes }] of segments.entries()) await writeFile(path.join(folder, `p${index}.aac`), bytes)
    const head = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n'
    await writeFile(path.join(folder, 'packed-audio.m3u8'), `${head}${lines.join('')}#EXT-X-ENDLIST\n`)
    await writeFile(
      path.join(folder, 'packed.m3u8'),
      '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",DEFAULT=YES,URI="packed-audio.m3u8"\n' +
        '#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.42c00d,mp4a.40.2",AUDIO="a"\npacked-video.m3u8\n',
    )
  }

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    const file = path.join(folder, 'source.flv')
    await makeTestFile({ url: file, durationSeconds: SECONDS, video: { bFrames: 2 } })
    source = await ffprobePackets(file)
    const count = ofKind(source, 'video').length
    sourcePictures = await pictures(file, count)
    await writeFile(path.join(folder, 'key'), randomBytes(16))
    await writeFile(path.join(folder, 'key-info'), `key\n${path.join(folder, 'key')}\n`)
    await cut('ts', [])
    await cut('fmp4', ['-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', 'init-fmp4.mp4'])
    await cut('single', ['-hls_flags', 'single_file'])
    await cut('encrypted', ['-hls_key_info_file', path.join(folder, 'key-info')])
    const apart = ['-map', '0:v', '-map', '0:a', '-var_stream_map', 'v:0,agroup:a a:0,agroup:a']
    const names = ['-hls_fmp4_init_filename', 'init-apart-%v.mp4', '-master_pl_name', 'apart.m3u8']
    await cut('apart-%v', ['-hls_segment_type', 'fmp4', ...apart, ...names])
    await cut('packed-video', ['-an'])
    await pack()
    web = await FileServer.start(folder)
    server = await startServer({ config: `hls: { onsub: { pull: { '^pulled/(.+)$': '${web.url('$1.m3u8')}' } } }` })
    for (const name of VARIANTS) {
      viewers.set(name, new FlvViewer(server.http(`/flv/pulled/${name}.flv`)))
      const url = server.http(`/flv/pulled/${name}.flv`)
      const seen = pictures(url, count - HELD_BACK)
      seen.catch(() => {})
      decoded.set(name, seen)
    }
  })
  after(async () => {
    await server?.stop()
    web?.close()
    if (folder) await rm(folder, { recursive: true })
  })

  async function received(name: string): Promise<readonly ReceivedFrame[]> {
    return viewers.get(name)!.received.wait(source.length)
  }

  for (const name of VARIANTS) {
    it(`gives each frame of the source once, at its time, and decodable: ${name}`, async () => {
      const frames = await received(name)
      for (const kind of ['video', 'audio'] as const) {
        const [found, wanted] = [ofKind(frames, kind), ofKind(source, kind)]
        expect(found.length, kind).to.equal(wanted.length)
        expect(comparable(found).map(({ keyframe }) => keyframe)).to.eql(comparable(wanted).map((one) => one.keyframe))
        // The source counts in milliseconds already.
        for (const [index, { dtsMs, ptsMs }] of comparable(found).entries()) {
          expect(dtsMs, `${kind} ${index}`).to.be.closeTo(comparable(wanted)[index]!.dtsMs, 3)
          expect(ptsMs - dtsMs, `${kind} ${index}`).to.be.closeTo(wanted[index]!.ptsMs! - wanted[index]!.dtsMs!, 3)
        }
        if (kind === 'audio') expect(found.map(({ md5 }) => md5)).to.eql(wanted.map(({ md5 }) => md5))
      }
      expect(await decoded.get(name)).to.eql(sourcePictures.slice(0, -HELD_BACK))
    })

    it(`keeps pictures and sound together: ${name}`, async () => {
      const apart = (frames: readonly (ReceivedFrame | ProbedPacket)[]) =>
        (ofKind(frames, 'video')[0]?.ptsMs ?? 0) - (ofKind(frames, 'audio')[0]?.ptsMs ?? 0)
      expect(apart(await received(name))).to.be.closeTo(apart(source), 5)
    })
  }

  it('gives the frames as they were, where the container keeps them', async () => {
    for (const name of ['fmp4', 'apart']) {
      const found = ofKind(await received(name), 'video').map(({ md5 }) => md5)
      expect(found).to.eql(ofKind(source, 'video').map(({ md5 }) => md5))
    }
  })

  it('asks for parts of a file where a playlist says so', async () => {
    await received('single')
    expect(web.requests.some(({ headers }) => headers.range?.startsWith('bytes=') === true)).to.equal(true)
  })

  it('fetches no segment twice', async () => {
    await Promise.all(VARIANTS.map(received))
    const segments = web.requests.filter(({ url, headers }) => !url.includes('.m3u8') && headers.range === undefined)
    expect(segments.length).to.equal(new Set(segments.map(({ url }) => url)).size)
  })

  it('repeats a source as often as it is told, in one go', async () => {
    const looped = await startServer({ config: `hls: { pull: { a/b: { url: '${web.url('fmp4.m3u8')}', loop: 1 } } }` })
    const viewer = new FlvViewer(looped.http('/flv/a/b.flv'))
    const frames = await viewer.received.wait(2 * source.length)
    const times = ofKind(comparable(ofKind(frames, 'video')), 'video').map(({ dtsMs }) => dtsMs)
    for (const [index, ms] of times.entries()) expect(ms - (times[index - 1] ?? ms - 40)).to.be.within(30, 200)
    expect(ofKind(frames, 'video')).to.have.length(2 * ofKind(source, 'video').length)
    viewer.close()
    await looped.stop()
  })

  it('leaves out a segment that is not there, and goes on', async () => {
    const names = (await readFile(path.join(folder, 'ts.m3u8'), 'utf8'))
      .split('\n')
      .filter((line) => line.endsWith('.ts'))
    web.missing.add(`/${names[1]}`)
    const holed = await startServer({ config: `hls: { pull: { a/b: '${web.url('ts.m3u8')}' } }` })
    const viewer = new FlvViewer(holed.http('/flv/a/b.flv'))
    const wanted = ofKind(source, 'video').length - 25
    await viewer.received.wait(source.length - 25 - 45)
    expect(ofKind(viewer.received.frames, 'video').length).to.be.within(wanted - 5, wanted)
    expect(holed.records.some(({ msg }) => msg === 'a segment of the source is left out')).to.equal(true)
    web.missing.clear()
    viewer.close()
    await holed.stop()
  })
})
