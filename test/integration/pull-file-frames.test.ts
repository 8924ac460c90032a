import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FileServer } from '../support/file-server.ts'
import type { ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type RunningServer, type ServerLogRecord } from '../support/server.ts'

const SECONDS = 2
/** What is made of H.264 with B-frames and AAC, and how it is packed. */
const PACKED: Readonly<Record<string, readonly string[]>> = {
  'end.mp4': [],
  'start.mp4': ['-movflags', '+faststart'],
  'fragments.mp4': ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'],
  'no-table.mp4': ['-movflags', 'frag_keyframe+empty_moov+default_base_moof+skip_trailer'],
  'half.mp4': ['-movflags', 'frag_keyframe'],
  'early.mp4': ['-movflags', '+negative_cts_offsets'],
  'quicktime.mov': [],
  'plain.ts': [],
  'wrapped.ts': ['-output_ts_offset', '95442.5'],
}
/** Other codecs, and more tracks of a kind. */
const ENCODED: Readonly<Record<string, readonly string[]>> = {
  'hevc-opus.mp4': [
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-x265-params',
    'log-level=none:pools=none',
    '-c:a',
    'libopus',
  ],
  'av1-ac3.mp4': ['-c:v', 'libsvtav1', '-preset', '12', '-svtav1-params', 'lp=1', '-c:a', 'ac3'],
  'two-sounds.mp4': [
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-map',
    '1:a',
    '-c:v',
    'copy',
    '-c:a:0',
    'aac',
    '-c:a:1',
    'libmp3lame',
  ],
}

type Frame = Pick<ProbedPacket | ReceivedFrame, 'kind' | 'dtsMs' | 'ptsMs' | 'keyframe' | 'md5'>

/** Frames by track, with times from the first picture on. */
function byTrack<Source extends Frame>(
  frames: readonly Source[],
  trackOf: (frame: Source) => string,
): Map<string, Frame[]> {
  const startMs = frames.find(({ kind }) => kind === 'video')?.ptsMs ?? frames[0]?.ptsMs ?? 0
  const tracks = new Map<string, Frame[]>()
  for (const frame of frames) {
    const { kind, dtsMs, ptsMs, keyframe, md5 } = frame
    const one = { kind, dtsMs: (dtsMs ?? Number.NaN) - startMs, ptsMs: (ptsMs ?? Number.NaN) - startMs, keyframe, md5 }
    tracks.set(trackOf(frame), [...(tracks.get(trackOf(frame)) ?? []), one])
  }
  return tracks
}

function expectSame(
  received: readonly ReceivedFrame[],
  source: readonly ProbedPacket[],
  what: string,
  isExact: boolean,
) {
  const found = [...byTrack(received, ({ kind, track }) => `${kind} ${track}`).values()]
  const wanted = [...byTrack(source, ({ stream }) => String(stream)).values()]
  const key = (frames: Frame[]) => `${frames[0]?.kind} ${frames[0]?.md5}`
  if (isExact) for (const tracks of [found, wanted]) tracks.sort((one, other) => (key(one) < key(other) ? -1 : 1))
  else for (const tracks of [found, wanted]) tracks.sort((one, other) => (one[0]!.kind < other[0]!.kind ? -1 : 1))
  expect(
    found.map(({ length }) => length),
    what,
  ).to.eql(wanted.map(({ length }) => length))
  for (const [track, frames] of found.entries()) {
    for (const [index, frame] of frames.entries()) {
      const same = wanted[track]![index]!
      const where = `${what}: ${frame.kind} ${index}`
      expect(frame.dtsMs, where).to.be.closeTo(same.dtsMs!, 2)
      expect(frame.ptsMs, where).to.be.closeTo(same.ptsMs!, 2)
      if (frame.kind === 'video') expect(frame.keyframe, where).to.equal(same.keyframe)
      if (isExact) expect(frame.md5, where).to.equal(same.md5)
    }
  }
}

/** What FLV carries to those who begin with the first picture: the main tracks, and no sound that is decoded before. */
function seen(source: readonly ProbedPacket[]): ProbedPacket[] {
  const startMs = source.find(({ kind }) => kind === 'video')?.dtsMs ?? 0
  return source.filter(({ stream, dtsMs }) => stream < 2 && (dtsMs ?? 0) >= startMs)
}

function isEndOf({ msg, ['stream']: stream }: ServerLogRecord, streamPath: string): boolean {
  return msg === 'the pull has ended' && stream === streamPath
}

describe('pull of MP4 and MPEG-TS files', () => {
  let folder: string
  let web: FileServer
  let server: RunningServer
  const file = (name: string) => path.join(folder, name)
  /** Paths under `file` are files of the folder, those under `web` of a server, and those under `loop` come three times. */
  function rules(ending: string): string {
    const remote = `{ url: '${web.url('moved-$1', 'me:secret@')}', header: { X-Key: k } }`
    const pull = { file: "'$1'", web: remote, loop: "{ url: '$1', loop: 2 }" }
    const lines = Object.entries(pull).map(([where, rule]) => `'^${where}/(.+[.]${ending})$': ${rule}`)
    return `{ publish: { speed: 0 }, onsub: { pull: { ${lines.join(', ')} } } }`
  }

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-files-'))
    const source = file('source.flv')
    await makeTestFile({ url: source, durationSeconds: SECONDS, video: { bFrames: 2 } })
    const common = ['-v', 'error', '-nostdin', '-i', source]
    for (const [name, args] of Object.entries(PACKED))
      await runPeer('ffmpeg', [...common, '-c', 'copy', ...args, file(name)])
    const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000']
    for (const [name, args] of Object.entries(ENCODED)) {
      await runPeer('ffmpeg', [...common, ...tone, '-t', String(SECONDS), ...args, '-threads', '1', file(name)])
    }
    await writeFile(file('text.mp4'), 'This is no film. '.repeat(100))
    web = await FileServer.start(folder)
    web.ranges = true
    const folders = `global: { pull: { folders: ['${folder}'] } }`
    const config = `${folders}\nmp4: ${rules('m.+')}\nhls: ${rules('ts')}`
    server = await startServer({ config })
  })
  after(async () => {
    await server?.stop()
    web?.close()
    if (folder) await rm(folder, { recursive: true })
  })

  /** What a viewer gets until the file is over, or there are as many frames. */
  async function received(name: string, count: number, at = server): Promise<readonly ReceivedFrame[]> {
    const viewer = new FlvViewer(at.http(`/flv/${name}.flv`))
    expect(await viewer.status).to.equal(200)
    await viewer.received.wait(count)
    viewer.close()
    return viewer.received.frames
  }

  /** What a pull is answered that can't be done. */
  async function refusal(remoteURL: string, protocol?: string): Promise<string> {
    const body = JSON.stringify({ remoteURL, streamPath: 'refused/a', ...(protocol !== undefined && { protocol }) })
    const headers = { 'content-type': 'application/json' }
    const answer = await server.api('/api/stream/pull', { method: 'POST', headers, body })
    expect(answer.status, answer.body.message).to.be.oneOf([400, 502])
    return answer.body.message
  }

  for (const name of [...Object.keys(PACKED), ...Object.keys(ENCODED)]) {
    it(`gives each frame of the file once and at its time: ${name}`, async () => {
      const source = seen(await ffprobePackets(file(name)))
      expectSame(await received(`file/${name}`, source.length), source, name, !name.endsWith('.ts'))
    })
  }

  it('gives all of a file that is over in a moment to those who waited for it', async () => {
    const source = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000', '-t', '1', '-c:a', 'aac']
    await runPeer('ffmpeg', ['-v', 'error', '-nostdin', ...source, file('short.mp4')])
    const packets = await ffprobePackets(file('short.mp4'))
    const answering = fetch(server.http('/mp4/file/short.mp4.mp4'))
    const frames = await received('file/short.mp4', packets.length)
    expect(frames.map(({ md5 }) => md5)).to.eql(packets.map(({ md5 }) => md5))
    const answer = await answering
    expect(answer.status).to.equal(200)
    await answer.body?.cancel()
  })

  it('gives the sound of MPEG-TS without its headers', async () => {
    const sound = (frames: readonly (ProbedPacket | ReceivedFrame)[]) =>
      frames.filter(({ kind }) => kind === 'audio').map(({ md5 }) => md5)
    const source = await ffprobePackets(file('end.mp4'))
    expect(sound(await received('file/plain.ts', source.length))).to.eql(sound(source))
  })

  for (const name of ['end.mp4', 'fragments.mp4', 'plain.ts']) {
    it(`plays a file of a server by its parts: ${name}`, async () => {
      web.asksForUser = true
      web.redirects.set(`/moved-${name}`, `/${name}`)
      const source = await ffprobePackets(file(name))
      const frames = await received(`web/${name}`, source.length)
      expectSame(frames, source, name, !name.endsWith('.ts'))
      const asked = web.requests.filter(({ url }) => url === `/${name}`)
      expect(asked.every(({ headers }) => headers.range !== undefined)).to.equal(true)
      expect(asked.at(-1)!.headers).to.include({ 'x-key': 'k', authorization: `Basic ${btoa('me:secret')}` })
      web.asksForUser = false
    })
  }

  for (const name of ['end.mp4', 'fragments.mp4', 'plain.ts']) {
    it(`repeats a file as often as it is told, its times going on: ${name}`, async () => {
      const source = await ffprobePackets(file(name))
      const frames = (await received(`loop/${name}`, 3 * source.length)).filter(({ kind }) => kind === 'video')
      expect(frames).to.have.length(3 * SECONDS * 25)
      for (const [index, { dtsMs }] of frames.entries()) {
        expect(dtsMs - (frames[index - 1]?.dtsMs ?? dtsMs - 40), `step ${index}`).to.be.within(30, 150)
      }
    })
  }

  it('plays what a file has that was cut off, at its pace', async () => {
    const folders = `global: { pull: { folders: ['${folder}'] } }`
    const onSubscribe = "onsub: { pull: { '^file/(.+)$': '$1' } }"
    const paced = await startServer({ config: `${folders}\nmp4: { ${onSubscribe} }` })
    const names = ['start.mp4', 'fragments.mp4']
    const played = names.map(async (name) => {
      const bytes = await readFile(file(name))
      await writeFile(file(`cut-${name}`), bytes.subarray(0, Math.floor(bytes.length * 0.75)))
      const beganMs = performance.now()
      const frames = await received(`file/cut-${name}`, 40, paced)
      expect(performance.now() - beganMs, name).to.be.greaterThan(400)
      expect(frames.filter(({ kind }) => kind === 'video').length, name).to.be.greaterThan(10)
    })
    await Promise.all(played)
    await waitFor(() => names.every((name) => paced.records.some((record) => isEndOf(record, `file/cut-${name}`))))
    expect(paced.problems).to.eql([])
    await paced.stop()
  })

  it('says what is wrong with a file', async () => {
    const whole = await readFile(file('end.mp4'))
    await writeFile(file('unfinished.mp4'), whole.subarray(0, whole.length / 2))
    await writeFile(file('text.ts'), 'This is no film. '.repeat(100_000))
    await writeFile(file('empty.ts'), '')
    expect(await refusal('unfinished.mp4')).to.match(/no moov box.*was not finished/u)
    expect(await refusal('text.mp4')).to.match(/no MP4/u)
    expect(await refusal('text.ts')).to.match(/no MPEG-TS/u)
    expect(await refusal('empty.ts')).to.match(/no media/u)
    expect(await refusal('missing.mp4')).to.match(/no such file in the folders/u)
    expect(await refusal('/etc/hostname', 'mp4')).to.match(/http|no such file/u)
    expect(await refusal('../film.mp4')).to.match(/no such file in the folders/u)
    expect(await refusal(web.url('none.mp4'))).to.match(/answered 404/u)
  })

  it('needs a server that gives parts of files', async () => {
    web.ranges = false
    expect(await refusal(web.url('end.mp4', 'me:secret@'))).to.match(/gives no parts of files/u)
    expect(await refusal(web.url('plain.ts'))).to.match(/gives no parts of files/u)
    web.ranges = true
    expect(JSON.stringify(server.records)).not.to.contain('secret')
  })
})
