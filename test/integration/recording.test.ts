import { access } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { finishedFiles, listedFiles, placeOf, post, type ListedFile } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'

const SECONDS = 6
const FRAGMENT_MS = 2000
/** Recordings are dated by the times of their media. */
const SPEED = 4
const RULES = `
mp4: { onpub: { record: { 'live/.*': { filepath: 'all/{stream}', fragment: 2s } } } }
flv: { onpub: { record: { 'live/.*': { filepath: 'all/$0' } } } }
hls: { onpub: { record: { 'live/.*': { filepath: 'ts', filename: '{stream}_{date}' } } } }
`

type Frames = { readonly video: readonly ProbedPacket[]; readonly audio: readonly ProbedPacket[] }

function byKind(packets: readonly ProbedPacket[]): Frames {
  const of = (kind: string) => packets.filter((packet) => packet.kind === kind)
  return { video: of('video'), audio: of('audio') }
}

const hashes = (packets: readonly ProbedPacket[]) => packets.map(({ md5 }) => md5)
const lengthMs = ({ startTime, endTime }: ListedFile) => Date.parse(endTime) - Date.parse(startTime)

/** The source's sound from the first frame that can be in a recording, which begins with a keyframe. */
function soundFrom({ audio }: Frames, first: ProbedPacket | undefined): string[] {
  const all = hashes(audio)
  return all.slice(Math.max(0, all.indexOf(first?.md5 ?? '')))
}

describe('recording', () => {
  let server: RunningServer
  let source: Frames
  let sourceFile: string

  before(async function () {
    requirePeer(this, 'ffmpeg')
    const prepare = async (folder: string) => {
      sourceFile = path.join(folder, 'source.mp4')
      await makeTestFile({ url: sourceFile, durationSeconds: SECONDS, video: { bFrames: 2 } })
    }
    server = await startServer({ config: RULES, prepare })
    source = byKind(await ffprobePackets(sourceFile))
    await publishFile(sourceFile, server.rtmp('live/cam'), SPEED).succeed()
    await finishedFiles(server, 'flv')
  })
  after(() => server?.stop())

  async function framesOf(type: string): Promise<{ files: ListedFile[]; frames: Frames[] }> {
    const files = await finishedFiles(server, type)
    const frames = await Promise.all(files.map(async (file) => byKind(await ffprobePackets(placeOf(server, file)))))
    return { files, frames }
  }

  it('has every frame in MP4 files that begin with keyframes, as the rule says', async () => {
    const { files, frames } = await framesOf('mp4')
    expect(files.length).to.be.within(3, 4)
    expect(frames.flatMap(({ video }) => hashes(video))).to.eql(hashes(source.video))
    const audio = frames.flatMap((file) => file.audio)
    expect(hashes(audio)).to.eql(soundFrom(source, audio[0]))
    expect(source.audio.length - audio.length).to.be.below(4)
    for (const [index, { video }] of frames.entries()) {
      expect([video[0]?.keyframe, video[0]?.dtsMs]).to.eql([true, 0])
      expect(files[index]).to.include({ streamPath: 'live/cam', type: 'mp4', videoCodec: 'h264', audioCodec: 'aac' })
      expect(files[index]?.filePath).to.match(/^all\/live\/cam\/\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d(?:-\d+)?\.mp4$/u)
    }
  })

  it('leaves no gap between the files of a stream', async () => {
    const files = await finishedFiles(server, 'mp4')
    for (const [index, file] of files.slice(0, -1).entries()) {
      expect(file.endTime).to.equal(files[index + 1]?.startTime)
      expect([lengthMs(file), file.duration]).to.eql([FRAGMENT_MS, FRAGMENT_MS])
    }
  })

  it('has every frame in one FLV, which says how long it is', async () => {
    const { files, frames } = await framesOf('flv')
    expect(files).to.have.length(1)
    const [recorded] = frames
    expect(hashes(recorded?.video ?? [])).to.eql(hashes(source.video))
    expect(hashes(recorded?.audio ?? [])).to.eql(soundFrom(source, recorded?.audio[0]))
    expect(lengthMs(files[0]!)).to.be.within(SECONDS * 1000, SECONDS * 1000 + 200)
  })

  it('has every frame in an MPEG-TS, in a folder and by a name of its own', async () => {
    const { files, frames } = await framesOf('hls')
    expect(files.map(({ filePath }) => filePath.replace(/\d{4}-\d\d-\d\d/u, 'DAY'))).to.eql(['ts/live_cam_DAY.ts'])
    expect(frames[0]?.video).to.have.length(source.video.length)
    const startMs = frames[0]?.video[0]?.ptsMs ?? 0
    const times = frames[0]?.video.map(({ ptsMs }) => Math.round((ptsMs ?? 0) - startMs))
    expect(times).to.eql(source.video.map(({ ptsMs }) => Math.round((ptsMs ?? 0) - (source.video[0]?.ptsMs ?? 0))))
  })

  const itBeside = sideBySide()

  for (const type of ['mp4', 'flv', 'hls']) {
    itBeside(`plays ${type} files of a stream as one, without a stumble`, async () => {
      const { video, audio } = byKind(await ffprobePackets(server.http(`/flv/vod_${type}_1/live/cam.flv`)))
      expect(video).to.have.length(source.video.length)
      const stepsMs = video.map(({ dtsMs }, index) => Math.abs((dtsMs ?? 0) - (video[0]?.dtsMs ?? 0) - index * 40))
      expect(Math.max(...stepsMs)).to.be.below(3)
      if (type !== 'hls') expect(hashes(video)).to.eql(hashes(source.video))
      expect(hashes(audio)).to.eql(soundFrom(source, audio[0]))
    })
  }

  it('plays from the keyframe at or before a time, up to a time', async () => {
    const [first] = await finishedFiles(server, 'mp4')
    const startMs = Date.parse(first!.startTime)
    const query = `start=${startMs + 1500}&end=${startMs + 4000}`
    const { video } = byKind(await ffprobePackets(server.http(`/flv/vod_mp4_2/live/cam.flv?${query}`)))
    expect(hashes(video)).to.eql(hashes(source.video.slice(25, 100)))
    // Of the recordings of any type, which begin some milliseconds apart.
    const any = byKind(await ffprobePackets(server.http(`/mp4/live/cam.mp4?${query}`)))
    expect(hashes(any.video).slice(0, 70)).to.eql(hashes(source.video.slice(25, 95)))
  })

  it('says at once that nothing was recorded', async () => {
    for (const target of ['vod_mp4_1/live/none', 'vod_mp4_1/live/cam', 'live/cam']) {
      const answer = await fetch(server.http(`/flv/${target}.flv?start=1500000000&end=1500000100`))
      expect(answer.status, target).to.equal(404)
    }
  })

  it('lists by time, path and page, the newest first, and the streams', async () => {
    const files = await finishedFiles(server, 'mp4')
    const of = async (query: string) => (await server.api(`/mp4/api/list/${query}`)).body
    const middle = (Date.parse(files[1]!.startTime) + 500) / 1000
    expect((await of(`live/cam?start=${Math.floor(middle)}&end=${Math.floor(middle)}`))['total']).to.be.within(1, 2)
    expect(await of('live/c*?pageSize=1&pageNum=2')).to.include({ total: files.length, pageNum: 2, pageSize: 1 })
    expect(await of('live/x*')).to.deep.include({ total: 0, data: [] })
    expect((await of('?pageSize=2')).data).to.eql([files.at(-1), files.at(-2)])
    const size = String(files.reduce((total, file) => total + Number(file.size), 0))
    const times = { startTime: files[0]!.startTime, endTime: files.at(-1)!.endTime }
    const entry = { streamPath: 'live/cam', type: 'mp4', count: files.length, size, ...times }
    for (const target of ['/mp4/api/catalog', '/api/record/mp4/catalog']) {
      expect((await server.api(target)).body.data).to.eql([entry])
    }
    const { data: all, total } = (await server.api('/api/record/any/catalog?search=LIVE&pageSize=2')).body
    expect(total).to.equal(3)
    expect((all as { readonly type: string }[]).map(({ type }) => type)).to.eql(['flv', 'hls'])
  })

  it('tells the days of a stream, as a calendar marks them', async () => {
    const files = await finishedFiles(server, 'mp4')
    const startMs = Date.parse(files[0]!.startTime)
    const days = async (query: string) => {
      const { body } = await server.api(`/api/record/mp4/days/live/cam?${query}`)
      return body.data as { readonly date: string; readonly count: number }[]
    }
    const found = await days(`start=${startMs}`)
    expect(found[0]?.date).to.equal(new Date(startMs).toISOString().slice(0, 10))
    // Midnight may have come in between.
    expect(found.reduce((total, { count }) => total + count, 0)).to.equal(files.length)
    expect(await days(`start=${startMs - 86_400_000}&end=${startMs - 1000}`)).to.eql([])
  })

  it('starts and stops for an operator, once in a place', async () => {
    const publisher = publishFile(sourceFile, server.rtmp('operated/cam'))
    const pointer = await post(server, '/mp4/api/start/operated/cam', {
      fragment: '1m',
      filePath: 'mine',
      fileName: 'x',
    })
    expect(pointer).to.match(/^\d+$/u)
    const active = (await server.api('/api/record/list')).body.data as ListedFile[]
    const [mine] = active.filter(({ streamPath }) => streamPath === 'operated/cam')
    expect(mine).to.eql({ streamPath: 'operated/cam', startTime: mine?.startTime, type: 'mp4', pointer })
    const again = { method: 'POST', body: JSON.stringify({ filePath: 'mine', fileName: 'x' }) }
    const refused = await server.api('/mp4/api/start/operated/cam', again)
    expect([refused.status, refused.body.message]).to.eql([409, 'record exists'])
    await waitFor(async () =>
      (await listedFiles(server, 'mp4', 'operated/cam')).some(({ duration }) => duration > 1000),
    )
    expect(await post(server, '/mp4/api/stop/operated/cam')).to.equal(pointer)
    expect(await post(server, '/mp4/api/stop/operated/cam')).to.equal('0')
    const [file] = await listedFiles(server, 'mp4', 'operated/cam')
    expect(file).to.include({ filePath: 'mine/operated/cam/x.mp4', isActive: false })
    expect(byKind(await ffprobePackets(placeOf(server, file!))).video[0]?.keyframe).to.equal(true)
    await publisher.close()
  })

  it('deletes files and what is known of them', async () => {
    const publisher = publishFile(sourceFile, server.rtmp('deleted/cam'))
    await post(server, '/flv/api/start/deleted/cam', { filePath: 'gone', duration: 1 })
    const [file] = await waitFor(async () => {
      const files = await listedFiles(server, 'flv', 'deleted/cam')
      return files.length === 1 && !files[0]?.isActive && files
    })
    await publisher.close()
    expect(await post(server, '/api/record/flv/delete/deleted/cam', { ids: [file!.id + 1] })).to.eql([])
    expect(await post(server, '/api/record/flv/delete/deleted/cam', { ids: [file!.id] })).to.eql([file])
    expect(await listedFiles(server, 'flv', 'deleted/cam')).to.eql([])
    for (const gone of [placeOf(server, file!), path.join(server.folder, 'recordings', 'gone')]) {
      expect(await access(gone).catch(({ code }: NodeJS.ErrnoException) => code)).to.equal('ENOENT')
    }
    const vague = await server.api('/flv/api/delete/deleted/cam', { method: 'POST', body: '{}' })
    expect([vague.status, vague.body.code]).to.eql([400, 3])
  })

  it('writes nothing outside of its folder, whatever a request says', async () => {
    const publisher = publishFile(sourceFile, server.rtmp('safe/cam'))
    await waitFor(() => server.server.streams.get('safe/cam'))
    for (const wrong of [
      { filePath: '../out' },
      { filePath: '/tmp' },
      { filePath: 'a/../../b' },
      { fileName: '{what}' },
    ]) {
      const answer = await server.api('/mp4/api/start/safe/cam', { method: 'POST', body: JSON.stringify(wrong) })
      expect(answer.status, JSON.stringify(wrong)).to.equal(400)
    }
    await post(server, '/mp4/api/start/safe/cam', { fileName: '../../{stream}' })
    await post(server, '/mp4/api/stop/safe/cam')
    const [file] = await listedFiles(server, 'mp4', 'safe/cam')
    expect(file?.filePath).to.equal('safe/cam/.._.._safe_cam.mp4')
    await publisher.close()
  })

  it('is not found where nobody publishes the stream', async () => {
    const other = await startServer({ env: { SLUICE_GLOBAL_SUBSCRIBE_WAITTIMEOUT: '100ms' } })
    const answer = await other.api('/mp4/api/start/live/none', { method: 'POST' })
    expect([answer.status, answer.body.code]).to.eql([404, 5])
    expect((await other.api('/api/record/list')).body.data).to.eql([])
    await other.stop()
  })

  it('has nothing to warn of', () => {
    expect(server.problems).to.eql([])
  })
})
