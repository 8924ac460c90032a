import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { finishedFiles } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import {
  COLORS,
  colorInput,
  colorOf,
  colorOfPixels,
  FPS,
  seen,
  seenAll,
} from '../../plugins/snap/test/test-pictures.ts'

const FFMPEG = 'ffmpeg'
const SECONDS = 6
/** Pictures of one color are judged at this size. */
const SMALL = { width: 32, height: 24 }
const STREAM = 'live/colors'
const CONFIG = `mp4: { onpub: { record: { 'live/.*': { fragment: 2s } } } }`
const PASSWORD = 'correct horse'
const WITH_LOGIN = `
global:
  admin:
    enablelogin: true
    users:
      - { username: alice, password: ${PASSWORD}, role: admin }
      - { username: bob, password: ${PASSWORD} }
`
const STAMP = /_(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d\.\d{3})(?:-\d+)?\.jpg$/u

describe('pictures of recordings', () => {
  let server: RunningServer
  let startMs: number
  let endMs: number

  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
    const encoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', String(FPS), '-pix_fmt', 'yuv420p']
    const sound = ['-re', '-f', 'lavfi', '-i', 'sine', '-c:a', 'aac', '-t', String(SECONDS)]
    const args = ['-v', 'error', '-nostdin', '-re', ...colorInput(SECONDS), ...sound, ...encoding]
    const keyframes = ['-sc_threshold', '0', '-force_key_frames', 'expr:gte(t,n_forced)']
    await new PeerProcess('ffmpeg', [...args, ...keyframes, '-f', 'flv', server.rtmp(STREAM)]).succeed()
    const files = await finishedFiles(server, 'mp4', 3)
    startMs = Date.parse(files[0]!.startTime)
    endMs = Date.parse(files.at(-1)!.endTime)
  })
  after(() => server?.stop())

  async function ask(target: string) {
    const answer = await fetch(server.http(target))
    const body = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, type: answer.headers.get('content-type'), body }
  }

  const done = () => server.records.filter(({ msg }) => msg === 'pictures of recordings: done').length

  /** The pictures of a batch with what they show, by when they were taken. */
  async function batch(query: string, count: number) {
    const folder = path.join(server.folder, 'recordings', 'snap')
    const doneBefore = done()
    const known = new Set(await readdir(folder).catch(() => []))
    const { status, body } = await ask(`/snap/batchplayback/${STREAM}?${query}`)
    expect([status, JSON.parse(body.toString())['success']]).to.eql([200, true])
    const fresh = async () =>
      (await readdir(folder).catch(() => [])).filter((name) => STAMP.test(name) && !known.has(name))
    await waitFor(async () => (await fresh()).length >= count, { what: `${count} pictures` })
    await waitFor(() => done() > doneBefore)
    const names = (await fresh()).toSorted()
    const pictures = seenAll(await Promise.all(names.map((name) => readFile(path.join(folder, name)))))
    return names.map((name, index) => {
      const [, year, month, day, hour, minute, second] = STAMP.exec(name)!
      const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
      return { color: colorOfPixels(pictures[index]!.rgb), second: Math.round((atMs - startMs) / 1000) }
    })
  }

  /** What each picture of an MP4 shows, and when, in milliseconds. */
  function film(mp4: Buffer) {
    const decode = ['-v', 'error', '-xerror', '-i', 'pipe:0', '-fps_mode', 'passthrough', '-map', '0:v:0']
    const times = execFileSync(FFMPEG, [...decode, '-f', 'framemd5', 'pipe:1'], { input: mp4 }).toString()
    const timebase = Number(/^#tb 0: 1\/(\d+)$/mu.exec(times)?.[1])
    const lines = times.split('\n').filter((line) => line.startsWith('0,'))
    const timesMs = lines.map((line) => Math.round((Number(line.split(',')[2]) * 1000) / timebase))
    const small = ['-vf', `scale=${SMALL.width}:${SMALL.height}`, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
    const pixels = execFileSync(FFMPEG, [...decode, ...small], { input: mp4, maxBuffer: 64 * 1024 * 1024 })
    const pictureBytes = SMALL.width * SMALL.height * 3
    const colors = Array.from({ length: pixels.length / pictureBytes }, (_, index) =>
      colorOfPixels(pixels.subarray(index * pictureBytes, (index + 1) * pictureBytes)),
    )
    return { colors, timesMs }
  }

  it('are taken of every keyframe, with the times at which they were recorded', async () => {
    const pictures = await batch(`start=${startMs}&end=${endMs}`, SECONDS)
    expect(pictures).to.eql(COLORS.map((color, second) => ({ color, second })))
  })

  it('are taken at intervals', async () => {
    const pictures = await batch(`start=${startMs}&end=${startMs + 5900}&granularity=2`, 3)
    expect(pictures).to.eql([0, 2, 4].map((second) => ({ color: COLORS[second], second })))
  })

  it('are found again by their time', async () => {
    const { body } = await ask(`/snap/query/${STREAM}?snapTime=${Math.ceil(startMs / 1000) + 3}`)
    expect(colorOf(body)).to.be.oneOf([COLORS[3], COLORS[4]])
  })

  it('say that nothing was recorded, and what is wrong', async () => {
    const cases = {
      [`live/none?start=${startMs}&end=${endMs}`]: 404,
      [`${STREAM}?start=1500000000&end=1500000100`]: 404,
      [STREAM]: 400,
      [`${STREAM}?start=x`]: 400,
      [`${STREAM}?start=${startMs}&granularity=-1`]: 400,
    }
    for (const [target, expected] of Object.entries(cases)) {
      const { status, body } = await ask(`/snap/batchplayback/${target}`)
      expect([status, JSON.parse(body.toString())['success']], target).to.eql([expected, false])
    }
  })

  it('are given by the time, of the keyframe at or before it', async () => {
    for (const second of COLORS.keys()) {
      const { status, type, body } = await ask(`/mp4/snap/${STREAM}?targetTime=${startMs + second * 1000 + 500}`)
      expect([status, type]).to.eql([200, 'image/jpeg'])
      const { rgb, ...size } = seen(body)
      expect(colorOfPixels(rgb)).to.equal(COLORS[second])
      expect(size).to.eql({ width: 320, height: 240 })
    }
  })

  it('are given as the group of pictures of a time', async () => {
    for (const second of [0, 3]) {
      const { status, type, body } = await ask(`/mp4/extract/gop/${STREAM}?targetTime=${startMs + second * 1000 + 500}`)
      expect([status, type]).to.eql([200, 'video/mp4'])
      const { colors, timesMs } = film(body)
      expect(colors).to.eql(Array.from({ length: FPS }, () => COLORS[second]))
      expect(timesMs.map((ms) => ms - timesMs[0]!)).to.eql(Array.from({ length: FPS }, (_, frame) => frame * 40))
    }
  })

  it('are given as a time-lapse of parts of groups', async () => {
    const range = `start=${startMs}&end=${endMs}`
    const every = film((await ask(`/mp4/extract/compressed/${STREAM}?${range}&gopSeconds=0.2&gopInterval=2`)).body)
    expect(every.colors).to.eql([0, 2, 4].flatMap((second) => Array.from({ length: 5 }, () => COLORS[second])))
    const whole = film((await ask(`/mp4/extract/compressed/${STREAM}?${range}`)).body)
    expect(whole.colors).to.have.length(SECONDS * FPS)
    for (const { timesMs } of [every, whole]) {
      const steps = timesMs.slice(1).map((ms, index) => ms - timesMs[index]!)
      expect(Math.min(...steps), String(steps)).to.be.above(0)
      expect(Math.max(...steps), String(steps)).to.be.at.most(120)
    }
  })

  it('are refused where there are none, or the question is none', async () => {
    for (const kind of ['snap', 'extract/gop']) {
      expect((await ask(`/mp4/${kind}/${STREAM}?targetTime=1500000000`)).status).to.equal(404)
      expect((await ask(`/mp4/${kind}/live/none?targetTime=${startMs}`)).status).to.equal(404)
      expect((await ask(`/mp4/${kind}/${STREAM}?targetTime=x`)).status).to.equal(400)
      expect((await ask(`/mp4/${kind}/${STREAM}`)).status).to.equal(400)
    }
    for (const query of ['', 'start=x', `start=${startMs}&gopSeconds=0`, `start=${startMs}&gopInterval=1.5`]) {
      expect((await ask(`/mp4/extract/compressed/${STREAM}?${query}`)).status, query).to.equal(400)
    }
    expect(server.problems).to.eql([])
  })
})

describe('pictures while login is on', () => {
  it('are kept by admins, and taken by whoever may play', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await startServer({ config: WITH_LOGIN })
    const source = ['-re', ...colorInput(60), '-c:v', 'libx264', '-preset', 'ultrafast', '-g', String(FPS)]
    const publisher = new PeerProcess('ffmpeg', ['-v', 'error', ...source, '-f', 'flv', server.rtmp(STREAM)])
    await waitFor(() => server.server.streams.get(STREAM) !== undefined)
    const tokenOf = async (username: string) => {
      const body = JSON.stringify({ username, password: PASSWORD })
      const answer = await server.api('/api/auth/login', { method: 'POST', body })
      return (answer.body.data as { readonly token: string }).token
    }
    const [admin, user] = [await tokenOf('alice'), await tokenOf('bob')]
    const statusOf = async (target: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const answer = await fetch(server.http(`/snap/${target}`), { headers })
      await answer.arrayBuffer()
      return answer.status
    }
    const end = Math.ceil(Date.now() / 1000) + 100
    const changes = [
      `${STREAM}?savePath=s`,
      `${STREAM}?save_path=s`,
      `${STREAM}?a=b&savePath=s`,
      `${STREAM}?%73avePath=s`,
      `batch/${STREAM}?end=${end}`,
      `batchplayback/${STREAM}?start=1500000000`,
    ]
    for (const target of changes) {
      expect(await statusOf(target), target).to.equal(401)
      expect(await statusOf(target, user), target).to.equal(403)
    }
    expect(await readdir(path.join(server.folder, 'recordings')).catch(() => [])).to.eql([])
    for (const target of changes.slice(0, 5)) expect(await statusOf(target, admin), target).to.equal(200)
    expect(await statusOf(changes[5]!, admin)).to.equal(404)
    for (const token of [undefined, user]) expect(await statusOf(STREAM, token)).to.equal(200)
    await publisher.close()
  })
})
