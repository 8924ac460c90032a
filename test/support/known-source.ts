import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ffprobeFrames } from '../peers/ffmpeg-rtsp.ts'
import { makeMediaFile } from './media-file.ts'
import { slicesOf, splitAtLengths } from './rtsp/coded-picture.ts'

const DURATION_SECONDS = 4
/** Pictures are shown two later than decoded, so that the first is decoded at zero. */
const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=rate=25:size=320x240']
const SHOW_LATER = ['-fps_mode', 'passthrough', '-vf', 'setpts=PTS+2']
/** A tone that rises, so that no two packets are alike. */
const TONE = ['-f', 'lavfi', '-i', "aevalsrc='0.5*sin(2*PI*(300+100*t)*t)':sample_rate=48000"]
/**
 * Programs differ in what they make of edit lists, and GStreamer leaves out pictures after the length that a header says.
 * Fragments are short, as each holds one kind after the other.
 */
const WITHOUT_LENGTH = ['-use_editlist', '0', '-frag_duration', '40000']
/** What AC-3 is like stands in its packets alone, so that the header has to wait for one. */
const HEADER_OF_AC3 = 'empty_moov+delay_moov'
const VIDEO_ENCODERS = {
  h264: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-bf', '2', '-sc_threshold', '0', '-threads', '1'],
  h265: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:bframes=2:keyint=25:pools=none'],
} as const
/** Encoders of sound begin with samples of their own; the first packet is to lie at zero. */
const AUDIO_ENCODERS = {
  aac: ['-af', 'asetpts=PTS+1024', '-c:a', 'aac', '-ac', '2'],
  opus: ['-af', 'asetpts=PTS+312', '-c:a', 'libopus', '-ac', '2'],
  pcma: ['-ar', '8000', '-c:a', 'pcm_alaw', '-ac', '1'],
  mp3: ['-af', 'asetpts=PTS+1105', '-c:a', 'libmp3lame', '-ac', '2'],
  ac3: ['-af', 'asetpts=PTS+256', '-c:a', 'ac3', '-ac', '2'],
} as const

/** What counts of a frame on each way. */
export type SourceFrame = {
  readonly ptsMs: number
  /** Of video the slices, of sound the whole packet. */
  readonly data: Buffer
}

/** A file whose frames are known. */
export type KnownSource = {
  readonly file: string
  readonly videoCodec: keyof typeof VIDEO_ENCODERS
  readonly audioCodec: keyof typeof AUDIO_ENCODERS
  /** In the order of decoding. */
  readonly video: readonly SourceFrame[]
  readonly audio: readonly SourceFrame[]
}

type Codecs = Pick<KnownSource, 'videoCodec' | 'audioCodec'>

const made = new Map<string, Promise<KnownSource>>()
let folder: string | undefined

/** Makes a file with ffmpeg, 25 pictures a second with B-frames, a keyframe a second; once in a run. Default 4 s. */
export function knownSource(codecs: Codecs, seconds = DURATION_SECONDS): Promise<KnownSource> {
  const key = `${codecs.videoCodec}-${codecs.audioCodec}-${seconds}`
  const known = made.get(key) ?? make(key, codecs, seconds)
  made.set(key, known)
  return known
}

async function make(key: string, { videoCodec, audioCodec }: Codecs, seconds: number): Promise<KnownSource> {
  // ffmpeg writes Opus to MP4 alone, and G.711 to QuickTime alone.
  const file = path.join(cacheFolder(), `${key}.${audioCodec === 'pcma' ? 'mov' : 'mp4'}`)
  await makeMediaFile(file, [
    ...PICTURES,
    ...TONE,
    '-t',
    String(seconds),
    ...SHOW_LATER,
    ...VIDEO_ENCODERS[videoCodec],
    '-pix_fmt',
    'yuv420p',
    ...(videoCodec === 'h265' ? ['-tag:v', 'hvc1'] : []),
    ...AUDIO_ENCODERS[audioCodec],
    ...WITHOUT_LENGTH,
    '-movflags',
    audioCodec === 'ac3' ? HEADER_OF_AC3 : 'empty_moov',
    '-flags',
    '+bitexact',
    '-fflags',
    '+bitexact',
  ])
  const frames = await ffprobeFrames(file)
  const video = frames.filter(({ kind }) => kind === 'video')
  const audio = frames.filter(({ kind }) => kind === 'audio')
  return {
    file,
    videoCodec,
    audioCodec,
    video: video.map(({ ptsMs, data }) => ({
      ptsMs: ptsMs!,
      data: slicesOf(splitAtLengths(data), videoCodec),
    })),
    audio: audio.map(({ ptsMs, data }) => ({
      ptsMs: ptsMs!,
      data,
    })),
  }
}

function cacheFolder(): string {
  if (folder === undefined) {
    const own = mkdtempSync(path.join(tmpdir(), 'sluice-source-'))
    process.on('exit', () => rmSync(own, { recursive: true, force: true }))
    folder = own
  }
  return folder
}
