import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { AccessUnit, g711Config, TsDemuxer } from 'sluice/sdk/media'
import { ClipSink, makeClip, type Clip } from './clip.ts'

/** The codecs of the sound of a clip that ffmpeg makes. */
export type ClipAudio = 'pcma' | 'pcmu' | 'aac' | 'mp2' | 'none'

/** A clip that ffmpeg makes. */
export type FfmpegClip = {
  /** A file to play; without it, ffmpeg's test picture with a tone. */
  readonly file?: string
  /** The codec of the pictures: by default that of the file, or H.264. */
  readonly codec?: 'h264' | 'h265'
  /** The codec of the sound: by default that of the file where a program stream has it, or A-law. */
  readonly audio?: ClipAudio
  /** The length of a test picture; 10 by default. */
  readonly seconds?: number
  /** The size of a test picture; `640x360` by default. */
  readonly size?: string
  /** The slices of each picture; 1 by default. */
  readonly slices?: number
}

const FRAMES_A_SECOND = 25
const G711_RATE = 8000
/** 40 ms of G.711. */
const G711_UNIT_BYTES = 320
const MAX_ERROR_SIZE = 4000

/**
 * Makes a clip by ffmpeg, as the program of this name is found.
 * @throws {Error} when there is no ffmpeg, or it fails
 */
export async function clipByFfmpeg(init: FfmpegClip): Promise<Clip> {
  const audio = init.audio ?? 'pcma'
  const child = spawn('ffmpeg', ffmpegArgs(init, audio), { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  const started = Promise.withResolvers<void>()
  child.on('error', started.reject)
  child.on('spawn', started.resolve)
  await started.promise
  const code = new Promise((resolve) => child.on('close', resolve))
  const [stream, complaint, samples] = await Promise.all([
    bytesOf(child.stdout),
    bytesOf(child.stderr),
    bytesOf(child.stdio[3] as Readable),
  ])
  if ((await code) !== 0) throw new Error(`ffmpeg has failed: ${complaint.toString('utf8', 0, MAX_ERROR_SIZE)}`)
  const sink = new ClipSink()
  const demuxer = new TsDemuxer(sink)
  demuxer.push(stream)
  demuxer.flush()
  if (samples.length > 0) addSamples(sink, samples, audio === 'pcmu' ? 'pcmu' : 'pcma')
  return makeClip(sink.units)
}

/** The arguments of ffmpeg: pictures go to standard output as MPEG-TS, with sound that it carries; G.711 goes to descriptor 3. */
function ffmpegArgs(init: FfmpegClip, audio: ClipAudio): string[] {
  const { file, codec, seconds = 10, size = '640x360' } = init
  const rate = `rate=${FRAMES_A_SECOND}`
  const sources = [`testsrc2=size=${size}:${rate}`, 'sine=frequency=440:beep_factor=4']
  const inputs =
    file === undefined
      ? sources.flatMap((source) => ['-f', 'lavfi', '-t', String(seconds), '-i', source])
      : ['-i', file]
  const [pictures, sound] = file === undefined ? ['0:v', '1:a'] : ['0:v:0?', '0:a:0?']
  const video =
    codec === undefined && file !== undefined ? ['-c:v', 'copy'] : encoderArgs(codec ?? 'h264', init.slices ?? 1)
  const isG711 = audio === 'pcma' || audio === 'pcmu'
  const inStream = isG711 || audio === 'none' ? [] : ['-map', sound, '-c:a', audio, '-ar', '44100']
  const format = audio === 'pcmu' ? ['pcm_mulaw', 'mulaw'] : ['pcm_alaw', 'alaw']
  const apart = ['-map', sound, '-c:a', format[0]!, '-ar', String(G711_RATE), '-ac', '1', '-f', format[1]!, 'pipe:3']
  const head = ['-v', 'error', '-nostdin', ...inputs, '-map', pictures, ...video, ...inStream]
  return [...head, '-f', 'mpegts', 'pipe:1', ...(isG711 ? apart : [])]
}

function encoderArgs(codec: 'h264' | 'h265', slices: number): string[] {
  const common = [
    '-pix_fmt',
    'yuv420p',
    '-g',
    String(FRAMES_A_SECOND),
    '-bf',
    '0',
    '-preset',
    'ultrafast',
    '-threads',
    '1',
  ]
  if (codec === 'h264') return ['-c:v', 'libx264', ...common, '-x264-params', `slices=${slices}:scenecut=0`]
  const params = ['log-level=error', 'scenecut=0', ...(slices > 1 ? [`slices=${slices}`] : [])]
  return ['-c:v', 'libx265', ...common, '-x265-params', params.join(':')]
}

async function bytesOf(readable: Readable | null): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readable ?? []) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Adds G.711 that begins with the pictures. */
function addSamples(sink: ClipSink, samples: Buffer, codec: 'pcma' | 'pcmu'): void {
  const firstMs = Math.min(...sink.units.map(({ dtsMs }) => dtsMs))
  const first = Number.isFinite(firstMs) ? Math.round((firstMs * G711_RATE) / 1000) : 0
  const config = g711Config(codec, G711_RATE, 1)
  const track = sink.addTrack({ kind: 'audio', codec, timescale: G711_RATE, config })
  for (let at = 0; at < samples.length; at += G711_UNIT_BYTES) {
    const time = first + at
    sink.write(AccessUnit.fromData(track, time, time, true, samples.subarray(at, at + G711_UNIT_BYTES)))
  }
}
