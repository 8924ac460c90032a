import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { AccessUnit, AudioCodec, AudioTrack, Publisher } from 'sluice/sdk'
import { ScriptedSubscriber, sessionInit } from 'sluice/sdk/testing'
import { rescale, TsDemuxer, TsMuxer } from 'sluice/sdk/media'
import { createTestServer, type TestServer } from 'sluice/testing'
import { keep } from '../../test/peers/lifetime.ts'
import { requirePeer } from '../../test/peers/require-peer.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import audio from './index.ts'

const FFMPEG = 'ffmpeg'
const PATH = 'live/a'
/** The length of the tone of 1 kHz in each second. */
const TONE_SECONDS = 0.1
const TONE = `aevalsrc=if(lt(mod(t\\,1)\\,${TONE_SECONDS})\\,sin(2000*PI*t)\\,0)|0:s=44100`
const RATE = 48_000
const MAX_ERROR_MS = 20
/** The level of a tone's samples, of 32768, that no noise reaches. */
const LOUD = 4000
/** The time between two units that shows a gap in the sound. */
const GAP_MS = 100

type Server = TestServer<unknown>

describe('audio', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  async function start(config: Record<string, unknown> = {}): Promise<Server> {
    const server = await createTestServer(audio, { config })
    keep({ close: () => server.stop() })
    return server
  }

  /** A test picture and the tones, as ffmpeg sends them at the pace of their times. */
  async function publish({ streams }: Server, encoder: string, ...output: readonly string[]): Promise<Publisher> {
    const publisher = await streams.publish(sessionInit(PATH), { timestampBits: 33 })
    const video = ['-re', '-f', 'lavfi', '-i', 'testsrc=size=160x120:rate=25']
    const encoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-bf', '0', '-c:a', encoder, ...output]
    const args = ['-v', 'error', '-nostdin', ...video, '-re', '-f', 'lavfi', '-i', TONE, ...encoding]
    const ffmpeg = spawn(FFMPEG, [...args, '-muxdelay', '0', '-f', 'mpegts', 'pipe:1'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const demuxer = new TsDemuxer(publisher)
    ffmpeg.stdout.on('data', (bytes: Buffer) => demuxer.push(bytes))
    publisher.onClose(() => ffmpeg.kill('SIGKILL'))
    keep({ close: () => end(ffmpeg) })
    await waitFor(() => streams.get(PATH)?.tracks.length === 2)
    publisher.tracksComplete()
    return publisher
  }

  async function play({ ctx }: Server, ...codecs: AudioCodec[]) {
    const accepts = codecs.length === 0 ? {} : { accepts: { audio: codecs } }
    const subscriber = await ctx.streams.subscribe(sessionInit(PATH, accepts))
    return { subscriber, reader: new ScriptedSubscriber(subscriber) }
  }

  it('gives a player of Opus the same pictures and the same tones at the same time', async () => {
    const server = await start()
    await publish(server, 'aac')
    const [plain, fitted] = [await play(server), await play(server, 'opus', 'pcma')]
    expect(fitted.subscriber.tracks.map(({ codec }) => codec)).to.have.members(['h264', 'opus'])
    expect([fitted.subscriber.streamPath, fitted.subscriber.sourcePath]).to.eql([PATH, 'live/a~opus'])
    await waitFor(() => soundMs(fitted.reader) > 5000)
    await sameTimes(plain.reader, fitted.reader)
  })

  it('keeps tones at their times where the keyframe is old that a player begins with', async () => {
    const server = await start()
    const publisher = await server.streams.publish(sessionInit(PATH), { timestampBits: 33 })
    const demuxer = new TsDemuxer(publisher)
    const stream = recorded(14)
    const keptBytes = Math.round((stream.length * 9) / 14)
    demuxer.push(stream.subarray(0, keptBytes))
    publisher.tracksComplete()
    const [plain, fitted] = [await play(server), await play(server, 'opus')]
    demuxer.push(stream.subarray(keptBytes))
    await waitFor(() => soundMs(fitted.reader) > 3000)
    const [first] = soundOf(fitted.reader)
    expect(msOf(first!)).to.be.above(8000)
    await sameTimes(plain.reader, fitted.reader)
  })

  it('keeps tones at their times where ffmpeg takes long to begin', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-audio-'))
    keep({ close: () => rm(folder, { recursive: true }) })
    const [gate, ffmpegpath] = [path.join(folder, 'gate'), path.join(folder, 'ffmpeg')]
    execFileSync('mkfifo', [gate])
    const held = `#!/bin/sh\nread -r _ < '${gate}'\nexec ${FFMPEG} "$@"\n`
    await writeFile(ffmpegpath, held, { mode: 0o755 })
    const server = await start({ ffmpegpath })
    const publisher = await server.streams.publish(sessionInit(PATH), { timestampBits: 33 })
    const demuxer = new TsDemuxer(publisher)
    const stream = recorded(12)
    const keptBytes = Math.round(stream.length / 12)
    demuxer.push(stream.subarray(0, keptBytes))
    publisher.tracksComplete()
    const [plain, fitted] = [await play(server), await play(server, 'opus')]
    demuxer.push(stream.subarray(keptBytes))
    await writeFile(gate, 'go\n')
    await waitFor(() => soundMs(fitted.reader) > 3000)
    await sameTimes(plain.reader, fitted.reader)
  })

  it('gives a player of AAC the tones of Opus', async () => {
    const server = await start()
    await publish(server, 'libopus', '-ar', '48000')
    const [plain, fitted] = [await play(server), await play(server, 'aac', 'mp3')]
    expect(fitted.subscriber.tracks.map(({ codec }) => codec)).to.have.members(['h264', 'aac'])
    await waitFor(() => soundMs(fitted.reader) > 5000)
    await sameTimes(plain.reader, fitted.reader)
  })

  it('keeps tones at their times after a gap of the sound', async () => {
    const server = await start()
    await publish(server, 'aac', '-af', 'aselect=not(between(t\\,2.5\\,4.2))')
    const [plain, fitted] = [await play(server), await play(server, 'opus')]
    await waitFor(() => soundMs(fitted.reader) > 7000)
    expect(runsOf(soundOf(plain.reader))).to.have.length(2)
    await sameTimes(plain.reader, fitted.reader)
  })

  it('has one ffmpeg for all players of a stream, which ends after the last', async () => {
    const server = await start({ stopdelay: '100ms' })
    await publish(server, 'aac')
    const [one, other] = await Promise.all([play(server, 'opus'), play(server, 'opus')])
    await waitFor(() => soundMs(one.reader) > 500 && soundMs(other.reader) > 500)
    expect(await encoders()).to.have.length(1)
    expect(server.streams.get('live/a~opus')?.type).to.equal('transform')
    one.subscriber.close()
    other.subscriber.close()
    await waitFor(async () => (await encoders()).length === 0)
    await waitFor(() => server.streams.get('live/a~opus') === undefined)
    expect(server.streams.subscribers()).to.eql([])
  })

  it('goes on, in time, after its ffmpeg was killed', async () => {
    const server = await start()
    await publish(server, 'aac')
    const [plain, fitted] = [await play(server), await play(server, 'opus')]
    await waitFor(() => soundMs(fitted.reader) > 1000)
    const [killed] = await encoders()
    process.kill(killed!, 'SIGKILL')
    const before = fitted.reader.units.length
    await waitFor(async () => {
      const [next] = await encoders()
      return next !== undefined && next !== killed
    })
    const from = fitted.reader.units.length
    expect(fitted.reader.units.slice(before).some(({ track }) => track.kind === 'video')).to.equal(true)
    await waitFor(() => soundMs(fitted.reader, from) > 3000)
    await sameTimes(plain.reader, fitted.reader, from)
  })

  it('ends with its origin, whose next publisher its players get', async () => {
    const server = await start()
    const first = await publish(server, 'aac')
    const { subscriber, reader } = await play(server, 'opus')
    await waitFor(() => soundMs(reader) > 500)
    first.close('over')
    await waitFor(async () => (await encoders()).length === 0)
    const from = reader.units.length
    await publish(server, 'aac')
    await waitFor(() => subscriber.sourcePath === 'live/a~opus')
    await waitFor(() => reader.units.slice(from).filter(({ track }) => track.codec === 'opus').length > 25)
    expect(await encoders()).to.have.length(1)
  })

  it('gives nobody what a client publishes by the name of a stream that it would make', async () => {
    const server = await start()
    const client = await server.streams.publish(sessionInit('live/a~opus'))
    client.tracksComplete()
    await publish(server, 'aac')
    const { subscriber } = await play(server, 'opus')
    expect(subscriber.sourcePath).to.equal(PATH)
    expect(subscriber.tracks.map(({ codec }) => codec)).to.have.members(['h264', 'aac'])
  })

  it('leaves players with what there is where ffmpeg is missing, or too many run', async () => {
    for (const config of [{ ffmpegpath: '/no/ffmpeg' }, { maxencoders: 1 }]) {
      const server = await start(config)
      await publish(server, 'aac')
      const other = await server.streams.publish(sessionInit('live/b'))
      other.addTrack(server.streams.get(PATH)!.tracks.find(({ kind }) => kind === 'audio')!)
      other.tracksComplete()
      if ('maxencoders' in config)
        await server.ctx.streams.subscribe(sessionInit('live/b', { accepts: { audio: ['opus'] } }))
      const { subscriber } = await play(server, 'opus')
      expect(subscriber.sourcePath).to.equal(PATH)
      expect(subscriber.tracks.map(({ codec }) => codec)).to.have.members(['h264', 'aac'])
      expect(server.log.some(({ msg }) => msg === 'the stream is not adapted to a player')).to.equal(true)
      await server.stop()
    }
  })
})

/** Returns a test picture with a single keyframe, and the tones, for some seconds as MPEG-TS. */
function recorded(seconds: number): Buffer {
  const inputs = ['-f', 'lavfi', '-i', 'testsrc=size=160x120:rate=25', '-f', 'lavfi', '-i', TONE, '-t', `${seconds}`]
  const encoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '1000', '-bf', '0', '-c:a', 'aac']
  const args = ['-v', 'error', '-nostdin', ...inputs, ...encoding, '-muxdelay', '0', '-f', 'mpegts', 'pipe:1']
  return execFileSync(FFMPEG, args, { maxBuffer: 64 * 1024 * 1024 })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Returns the ids of the programs by which this process encodes sound. */
async function encoders(): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))
  const found = ids.map(async (id) => {
    const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')
    const isOurs = line.startsWith('ffmpeg\0') && line.includes('-copyts') && (await isDescendant(Number(id)))
    return isOurs ? [Number(id)] : []
  })
  return (await Promise.all(found)).flat()
}

async function isDescendant(id: number): Promise<boolean> {
  for (let at = id; at > 1;) {
    if (at === process.pid) return true
    const stat = await readFile(`/proc/${at}/stat`, 'utf8').catch(() => '')
    at = Number(/\) \S (\d+)/u.exec(stat)?.[1] ?? 0)
  }
  return false
}

function soundOf({ units }: ScriptedSubscriber, from = 0): AccessUnit[] {
  return units.slice(from).filter(({ track }) => track.kind === 'audio')
}

/** Returns the duration of the sound that a player got. */
function soundMs(reader: ScriptedSubscriber, from = 0): number {
  const sound = soundOf(reader, from)
  const [first, last] = [sound[0], sound.at(-1)]
  return first === undefined || last === undefined ? 0 : msOf(last) - msOf(first)
}

function msOf({ pts, track }: AccessUnit): number {
  return rescale(pts * 1000, track.timescale, 1000) / 1000
}

/** Asserts that the tones of two players begin at the same times of their pictures. */
async function sameTimes(plain: ScriptedSubscriber, fitted: ScriptedSubscriber, from = 0): Promise<void> {
  const [plainZeroMs, fittedZeroMs] = firstOfBoth(plain, fitted)
  // Sound goes on while it is decoded, and the other player has all of it by then.
  const all = await onsets(fitted, fittedZeroMs, from)
  const expected = await onsets(plain, plainZeroMs)
  // The sound of one may begin earlier; where the other begins within a tone, there is no beginning to compare.
  const heard = all.filter((atMs) => atMs > expected[0]! - MAX_ERROR_MS)
  expect(heard.length).to.be.greaterThan(1)
  for (const atMs of heard) {
    const nearest = expected.toSorted((one, other) => Math.abs(one - atMs) - Math.abs(other - atMs))[0]!
    expect(atMs).to.be.closeTo(nearest, MAX_ERROR_MS)
  }
}

/** Returns the times of the first picture that two players have, one of which may have begun at a later keyframe. */
function firstOfBoth(one: ScriptedSubscriber, other: ScriptedSubscriber): [oneMs: number, otherMs: number] {
  const [ones, others] = [one, other].map(({ units }) => units.filter(({ track }) => track.kind === 'video'))
  for (const picture of ones!) {
    const same = others!.find(({ data }) => data.equals(picture.data))
    if (same !== undefined) return [msOf(picture), msOf(same)]
  }
  throw new Error('the players have no picture in common')
}

/** Returns the beginnings of the tones, in milliseconds since `zeroMs` of the player's pictures. */
async function onsets(reader: ScriptedSubscriber, zeroMs: number, from = 0): Promise<number[]> {
  const found: number[] = []
  for (const run of runsOf(soundOf(reader, from))) {
    const startMs = msOf(run[0]!) - zeroMs
    found.push(...onsetsOf(await decoded(run)).map((index) => startMs + (index * 1000) / RATE))
  }
  return found
}

/** Returns the indices of the samples at which tones begin, after quiet. */
function onsetsOf(samples: Int16Array): number[] {
  const found: number[] = []
  let loudAt = 0
  for (const [index, sample] of samples.entries()) {
    if (Math.abs(sample) < LOUD) continue
    if (index - loudAt > RATE / 4) found.push(index)
    loudAt = index
  }
  return found
}

/** Splits sound at its gaps. */
function runsOf(sound: readonly AccessUnit[]): AccessUnit[][] {
  const runs: AccessUnit[][] = []
  for (const [index, unit] of sound.entries()) {
    const former = sound[index - 1]
    if (former === undefined || msOf(unit) - msOf(former) > GAP_MS) runs.push([])
    runs.at(-1)?.push(unit)
  }
  return runs
}

async function decoded(sound: readonly AccessUnit[]): Promise<Int16Array> {
  const muxer = new TsMuxer()
  const track = sound[0]!.track as AudioTrack
  const tables = muxer.start([track])
  const bytes = Buffer.concat([tables, ...sound.map((unit) => muxer.mux(unit.at(track, unit.dts, unit.pts)))])
  const child = spawn(FFMPEG, `-v error -f mpegts -i pipe:0 -ar ${RATE} -ac 1 -f s16le pipe:1`.split(' '), {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end(bytes)
  const out: Buffer[] = []
  for await (const chunk of child.stdout) out.push(chunk as Buffer)
  const all = Buffer.concat(out)
  return new Int16Array(all.buffer, all.byteOffset, all.length >> 1)
}
