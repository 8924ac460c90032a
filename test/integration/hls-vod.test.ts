import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { framemd5, makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { addressesIn, ask } from '../support/hls-client.ts'
import { validateMediaPlaylist } from '../support/hls/media-rules.ts'
import { finishedFiles, listedFiles, placeOf, post, type ListedFile } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SECONDS = 24
/** Recordings are dated by the times of their media. */
const SPEED = 8
const RULES = `
mp4: { onpub: { record: { 'live/.*': { filepath: '$0', fragment: 12s } } } }
flv: { onpub: { record: { 'live/.*': { filepath: '$0' } } } }
hls: { onpub: { record: { 'live/.*': { filepath: '$0' } } } }
`
/** Of each type, by the rules: a keyframe comes each two seconds. */
const LENGTHS = { mp4: [10, 2, 10, 2], flv: [10, 10, 4], hls: [10, 10, 4] } as const
const ALL = 'start=1500000000'

const ofKind = (packets: readonly ProbedPacket[], kind: 'video' | 'audio') =>
  packets.filter((packet) => packet.kind === kind)
const MINUTES = 1440

/** A day of files of a minute each, as rows that are otherwise those of the first file. */
function insertMinutes(database: string, dayMs: number): void {
  const db = new DatabaseSync(database)
  const row = db.prepare("select * from sluice_recording where type = 'mp4' order by id limit 1").get() ?? {}
  const names = Object.keys(row).filter((name) => name !== 'id')
  const insert = db.prepare(
    `insert into sluice_recording (${names.join()}) values (${names.map((name) => `:${name}`).join()})`,
  )
  db.exec('begin')
  for (let minute = 0; minute < MINUTES; minute++) {
    const { id: _id, ...columns } = row
    const startMs = dayMs + minute * 60_000
    const endMs = startMs + (minute % 60 === 59 ? 59_000 : 60_000)
    const codec = minute === 700 ? { video_codec: 'h265' } : {}
    insert.run({ ...columns, start_ms: startMs, end_ms: endMs, cuts: '10000,20000,30000,40000,50000', ...codec })
  }
  db.exec('commit')
  db.close()
}

async function ffprobeDuration(url: string): Promise<number> {
  const output = await runPeer('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', url])
  return Number(output.toString())
}

const lengthsIn = (text: string) => [...text.matchAll(/#EXTINF:([\d.]+)/gu)].map(([, seconds]) => Number(seconds))

describe('HLS of recordings', () => {
  let server: RunningServer
  let file: string
  let source: ProbedPacket[]
  let pictures: string[]
  let firstMs: number

  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: RULES })
    file = path.join(server.folder, 'source.mp4')
    await makeTestFile({ url: file, durationSeconds: SECONDS, video: { bFrames: 2, gopFrames: 50 } })
    source = await ffprobePackets(file)
    pictures = await decoded(file)
    await publishFile(file, server.rtmp('live/cam'), SPEED).succeed()
    const files: ListedFile[] = []
    for (const type of Object.keys(LENGTHS)) files.push(...(await finishedFiles(server, type)))
    firstMs = Date.parse(files[0]!.startTime)
  })
  after(() => server?.stop())

  const url = (query: string, target = 'live/cam.m3u8') => server.http(`/hls/${target}?${query}`)
  const segmentsIn = (answer: Parameters<typeof addressesIn>[0]) => addressesIn(answer, /\.ts\?/u)
  const listed = async (query: string, target?: string) => {
    const answer = await ask(url(query, target))
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }

  /** The hashes of the pictures that a player shows. */
  async function decoded(address: string): Promise<string[]> {
    const frames = await framemd5(address)
    return frames.filter(({ stream }) => stream === 0).map(({ md5 }) => md5)
  }

  for (const [type, lengths] of Object.entries(LENGTHS)) {
    it(`has each frame of ${type} files once, in segments that follow each other`, async () => {
      const playlist = await listed(`${ALL}&type=${type}`)
      expect(lengthsIn(playlist.text).map(Math.round)).to.eql(lengths)
      expect(playlist.text)
        .to.include('#EXT-X-PLAYLIST-TYPE:VOD\n')
        .and.to.match(/#EXT-X-ENDLIST\n$/u)
      const packets: ProbedPacket[] = []
      for (const address of segmentsIn(playlist)) {
        const segment = await ffprobePackets(address)
        expect(ofKind(segment, 'video')[0]?.keyframe).to.equal(true)
        packets.push(...segment)
      }
      for (const kind of ['video', 'audio'] as const) {
        const [found, wanted] = [ofKind(packets, kind), ofKind(source, kind)]
        expect(found.map(({ keyframe }) => keyframe)).to.eql(wanted.map(({ keyframe }) => keyframe))
        const shiftsMs = found.map(({ dtsMs }, index) => (dtsMs ?? 0) - (wanted[index]?.dtsMs ?? 0))
        expect(Math.max(...shiftsMs) - Math.min(...shiftsMs), kind).to.be.below(3)
      }
    })

    it(`shows the pictures of ${type} files as they were, with nothing to complain of`, async () => {
      const address = url(`${ALL}&type=${type}`, 'live/cam/index.m3u8')
      expect(await decoded(address)).to.eql(pictures)
      const packets = await ffprobePackets(address)
      expect(ofKind(packets, 'audio')).to.have.length(ofKind(source, 'audio').length)
    })
  }

  it('is by the rules, and tells when each segment was', async () => {
    const { text } = await listed(`${ALL}&type=mp4`)
    const violations = validateMediaPlaylist(text, { format: 'ts' })
    expect(violations).to.eql([])
    const dates = [...text.matchAll(/#EXT-X-PROGRAM-DATE-TIME:(.*)/gu)].map(([, date]) => Date.parse(date ?? ''))
    expect(dates.map((ms) => ms - firstMs)).to.eql([0, 10_000, 12_000, 22_000])
    expect(text).not.to.include('#EXT-X-DISCONTINUITY\n')
  })

  it('begins with the keyframe at or before a time, and ends before one', async () => {
    const { text } = await listed(`start=${firstMs + 5500}&end=${firstMs + 13_000}&type=mp4`)
    expect(lengthsIn(text)).to.eql([6, 2, 1])
    const ranges = [`${firstMs + 5500}~${firstMs + 13_000}`, `${firstMs + 5500}-${firstMs + 13_000}`]
    for (const range of ranges) expect((await listed(`range=${range}&type=mp4`)).text).to.equal(text)
    const shown = await decoded(url(`start=${firstMs + 5500}&end=${firstMs + 13_000}&type=mp4`))
    expect(shown).to.eql(pictures.slice(100, 100 + shown.length))
    expect(shown.length).to.be.within(225, 226)
    const [segment = ''] = segmentsIn(await listed(`start=${firstMs + 3000}&type=flv`))
    const any = segment.replace(/start=\d+&end=\d+/u, `start=${firstMs + 11_000}&end=${firstMs + 12_500}`)
    expect(ofKind(await ffprobePackets(any), 'video')).to.have.length(63)
  })

  it('is found below vod/, too, and carries its query on to the segments', async () => {
    const query = `${ALL}&type=mp4&a=b%20c&_HLS_skip=YES`
    const playlist = await listed(`streamPath=live/cam&${query}`, 'vod/ts.m3u8')
    const addresses = segmentsIn(playlist)
    expect(addresses).to.eql(segmentsIn(await listed(query)))
    expect(addresses[0]).to.match(
      /\/hls\/download\/live\/cam\.ts\?start=\d{13}&end=\d{13}&type=mp4&clock=\d+&seg=[\w-]+&a=b%20c$/u,
    )
    const head = await fetch(addresses[0] ?? '', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).to.eql([200, 'video/mp2t'])
  })

  it('lists MP4 files with their heads, of which each makes a file that can be played', async () => {
    for (const name of ['fmp4', 'mp4']) {
      const { text } = await listed(`streamPath=live/cam&${ALL}&a=b`, `vod/${name}.m3u8`)
      const files = await finishedFiles(server, 'mp4', 2)
      const parts = [
        ...text.matchAll(/#EXT-X-MAP:URI="([^"]+)",BYTERANGE="(\d+)@0"\n[^@]*BYTERANGE:(\d+)@(\d+)\n(.*)/gu),
      ]
      const addresses = parts.map(([, uri]) => uri?.replace(/&seg=[\w-]+/u, ''))
      expect(addresses).to.eql(files.map(({ id }) => `../download/live/cam.fmp4?id=${id}&a=b`))
      for (const [index, [, uri, head, rest, from, address]] of parts.entries()) {
        expect([address, from]).to.eql([uri, head])
        expect(Number(head) + Number(rest)).to.equal(Number(files[index]?.size))
        const bytes = await readFile(placeOf(server, files[index]!))
        const answer = await fetch(new URL(address!, server.http('/hls/vod/')), {
          headers: { range: `bytes=${from}-` },
        })
        expect([answer.status, answer.headers.get('content-type')]).to.eql([206, 'video/mp4'])
        expect(bytes.subarray(Number(from)).equals(Buffer.from(await answer.arrayBuffer()))).to.equal(true)
      }
      expect(text)
        .to.include('#EXT-X-VERSION:7\n')
        .and.to.match(/#EXT-X-TARGETDURATION:1[23]\n/u)
      expect(text.match(/#EXT-X-DISCONTINUITY\n/gu)).to.have.length(1)
    }
  })

  it('downloads as one FLV, of files of any type', async () => {
    const target = (query: string) => server.http(`/flv/download/live/cam?${query}`)
    for (const type of ['mp4', 'flv', 'hls']) {
      const packets = await ffprobePackets(target(`${ALL}&type=${type}`))
      for (const kind of ['video', 'audio'] as const) {
        expect(ofKind(packets, kind), `${type} ${kind}`).to.have.length(ofKind(source, kind).length)
      }
      expect(packets[0]?.dtsMs).to.be.within(0, 1)
      expect(await decoded(target(`${ALL}&type=${type}`))).to.eql(pictures)
    }
    const part = target(`start=${firstMs + 5500}&end=${firstMs + 13_000}&type=mp4`)
    expect(await decoded(part)).to.eql(pictures.slice(100, 325))
    const head = await fetch(part, { method: 'HEAD' })
    expect(head.headers.get('content-disposition')).to.match(/filename="live_cam_\d{8}T\d{6}Z_\d{8}T\d{6}Z\.flv"/u)
    expect([head.status, head.headers.get('content-type')]).to.eql([200, 'video/x-flv'])
    const stream = await ffprobeDuration(part)
    expect(stream).to.be.closeTo(9, 0.1)
    for (const [asked, status] of [
      ['live/none?start=1500000000', 404],
      ['live/cam?start=1500000000&end=1500000100', 404],
      ['live/cam.flv?start=never', 400],
      ['?start=1500000000', 400],
    ] as const) {
      expect((await ask(server.http(`/flv/download/${asked}`))).status, asked).to.equal(status)
    }
  })

  it('records for an operator, and stops by the task', async () => {
    const publisher = publishFile(file, server.rtmp('operated/cam'))
    const pointer = await server.api('/hls/api/record/start/operated/cam?fragment=5m&filePath=mine')
    expect(pointer.body.data, pointer.body.message).to.match(/^\d+$/u)
    await waitFor(async () => (await listedFiles(server, 'hls', 'operated/cam')).some(({ duration }) => duration > 500))
    // What is being written can be played as far as it is.
    const growing = await listed(ALL, 'operated/cam.m3u8')
    const [segment = ''] = segmentsIn(growing)
    expect((await ffprobePackets(segment)).length).to.be.above(10)
    const target = `/hls/api/record/stop/${String(pointer.body.data)}`
    expect(await post(server, target)).to.equal(pointer.body.data)
    expect((await server.api(target)).body.data).to.equal('0')
    const [recorded] = await listedFiles(server, 'hls', 'operated/cam')
    expect(recorded).to.include({ isActive: false, type: 'hls' })
    expect(recorded?.filePath).to.match(/^mine\/operated\/cam\//u)
    expect(await ffprobePackets(placeOf(server, recorded!))).to.have.length.above(10)
    await publisher.close()
  })

  it('lists a whole day, with discontinuities where it does not go on', async () => {
    const dayMs = Date.parse('2024-05-01T00:00:00Z')
    insertMinutes(path.join(server.folder, 'data', 'sluice.db'), dayMs)
    const day = `start=${dayMs}&end=${dayMs + 86_400_000}&type=mp4`
    await listed(day)
    const times: number[] = []
    for (const target of ['live/cam.m3u8', 'vod/ts.m3u8', 'vod/fmp4.m3u8']) {
      const startMs = performance.now()
      const { text } = await listed(`${day}&streamPath=live/cam`, target)
      times.push(Math.round(performance.now() - startMs))
      const isFiles = target.includes('fmp4')
      expect(lengthsIn(text)).to.have.length(MINUTES * (isFiles ? 1 : 6))
      // At the end of each hour, a second is missing; one minute is of another codec.
      expect(text.match(/#EXT-X-DISCONTINUITY\n/gu)).to.have.length(isFiles ? MINUTES - 1 : 23 + 2)
      const kind = { format: isFiles ? 'fmp4' : 'ts' } as const
      expect(validateMediaPlaylist(text, kind).slice(0, 3)).to.eql([])
    }
    process.stdout.write(`    a day of ${MINUTES} files is listed in ${times.join(', ')} ms\n`)
  })

  it('has no segments where nothing was recorded, and says which time is none', async () => {
    const wrong: readonly (readonly [string, number, RegExp])[] = [
      ['live/cam.m3u8?start=1500000000&end=1500000100', 404, /nothing of live\/cam was recorded/u],
      ['live/none/index.m3u8?start=1500000000', 404, /nothing of live\/none was recorded/u],
      ['download/live/cam.ts?start=1500000000&end=1500000100', 404, /nothing of live\/cam was recorded/u],
      ['vod/fmp4.m3u8?streamPath=live/none&start=1500000000', 404, /nothing of live\/none/u],
      ['download/live/cam.fmp4?id=9999', 404, /no recording of live\/cam has this id/u],
      ['download/live/cam.fmp4?id=9999999999', 404, /no recording has this id/u],
      ['live/cam.m3u8?start=yesterday', 400, /start must be a time/u],
      ['live/cam.m3u8?start=1500000000&end=x', 400, /end must be a time/u],
      ['live/cam.m3u8?range=1~2~3', 400, /range must be/u],
      ['download/live/cam.ts?start=2000000000&end=1500000100', 400, /end is before the start/u],
      ['vod/ts.m3u8?streamPath=&start=1500000000', 400, /stream path/u],
    ]
    for (const [target, status, says] of wrong) {
      const answer = await ask(server.http(`/hls/${target}`))
      expect([answer.status, target]).to.eql([status, target])
      expect(answer.text).to.match(says)
    }
    expect(server.problems).to.eql([])
  })
})
