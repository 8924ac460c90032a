import { PeerProcess, runPeer } from './process.ts'
import { runQuietly } from './run-quietly.ts'

/** The picture part of a test source. Its defaults: H.264, 25 frames a second, no B-frames, a keyframe a second. */
export type TestVideo = {
  /** ffmpeg's encoder. Default `libx264`. */
  readonly encoder?: string
  /** A number or a fraction: `25`, `24000/1001`. */
  readonly fps?: string
  readonly bFrames?: number
  /** Frames from keyframe to keyframe. */
  readonly gopFrames?: number
  /** Default `320x240`. */
  readonly size?: string
}

/** The sound part of a test source. Its defaults: AAC, 44100 Hz, stereo. */
export type TestAudio = {
  /** ffmpeg's encoder. Default `aac`. */
  readonly encoder?: string
  readonly sampleRate?: number
  readonly channels?: number
}

export type PublishInit = {
  /** Where to: a URL or a file. */
  readonly url: string
  /** ffmpeg's name of the container; by default what the URL's scheme carries, or the file's ending says. */
  readonly format?: string
  readonly video?: TestVideo | false
  readonly audio?: TestAudio | false
  /** Default 5. */
  readonly durationSeconds?: number
  /** Sent at the speed of the clock (default), or as fast as it goes. */
  readonly realtime?: boolean
  /** Options right before the output. */
  readonly output?: readonly string[]
}

/** Starts ffmpeg with a moving test picture and a tone; the same options make the same payloads each time. */
export function publish(init: PublishInit): PeerProcess {
  return new PeerProcess('ffmpeg', publishArgs(init))
}

/** Makes a file of a test source, see {@link publish}. */
export async function makeTestFile(init: PublishInit): Promise<void> {
  await runPeer('ffmpeg', publishArgs({ realtime: false, ...init }))
}

/** Starts ffmpeg sending a file as it is, at the pace of its times or so many times faster. */
export function publishFile(path: string, url: string, speed = 1): PeerProcess {
  const format = formatOf(url)
  return new PeerProcess('ffmpeg', [
    '-v',
    'warning',
    '-nostdin',
    '-readrate',
    String(speed),
    '-i',
    path,
    '-c',
    'copy',
    ...(format === undefined ? [] : ['-f', format]),
    '-y',
    url,
  ])
}

/** One line of ffmpeg's framemd5: a decoded frame, or a packet when nothing was decoded. */
export type HashedFrame = {
  readonly stream: number
  /** In ticks of the stream. */
  readonly dts: number
  readonly pts: number
  readonly sizeBytes: number
  readonly md5: string
}

export type FrameMd5Options = {
  /** Options before the input. */
  readonly input?: readonly string[]
  /** Decode (default), which also shows that it can be, or take the packets as they are. */
  readonly decode?: boolean
  /** Stop after this many frames of video; otherwise at the end. */
  readonly videoFrames?: number
  /** Defaults to 60 s. */
  readonly timeoutMs?: number
}

/**
 * Hashes each frame of a stream or file.
 * @throws {Error} when it cannot be read, a frame can't be decoded, or ffmpeg complains of something in it
 */
export async function framemd5(url: string, options: FrameMd5Options = {}): Promise<HashedFrame[]> {
  const args = ['-v', 'warning', '-nostdin', '-xerror', ...(options.input ?? []), '-i', url]
  if (options.videoFrames !== undefined) args.push('-frames:v', String(options.videoFrames))
  // Without -fps_mode passthrough, frames would be made up or left out to keep the rate.
  args.push(...(options.decode === false ? ['-c', 'copy'] : ['-fps_mode', 'passthrough']), '-f', 'framemd5', '-')
  const output = await runQuietly('ffmpeg', args, options.timeoutMs)
  const lines = output.toString().split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseFrame)
}

function parseFrame(line: string): HashedFrame {
  const [stream, dts, pts, , sizeBytes, md5] = line.split(',').map((field) => field.trim())
  return { stream: Number(stream), dts: Number(dts), pts: Number(pts), sizeBytes: Number(sizeBytes), md5: md5 ?? '' }
}

function publishArgs(init: PublishInit): string[] {
  const { video = {}, audio = {}, durationSeconds = 5, realtime = true } = init
  const format = init.format ?? formatOf(init.url)
  const speed = realtime ? ['-re'] : []
  const inputs: string[] = []
  if (video !== false) inputs.push(...speed, '-f', 'lavfi', '-i', videoSource(video))
  if (audio !== false)
    inputs.push(...speed, '-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${audio.sampleRate ?? 44_100}`)
  return [
    '-v',
    'warning',
    '-nostdin',
    ...inputs,
    '-t',
    String(durationSeconds),
    ...(video === false ? [] : videoArgs(video)),
    ...(audio === false ? [] : audioArgs(audio)),
    '-flags',
    '+bitexact',
    '-fflags',
    '+bitexact',
    ...(init.output ?? []),
    ...(format === undefined ? [] : ['-f', format]),
    '-y',
    init.url,
  ]
}

function videoSource({ fps = '25', size = '320x240' }: TestVideo): string {
  return `testsrc2=rate=${fps}:size=${size}`
}

function videoArgs({ encoder = 'libx264', bFrames = 0, gopFrames = 25 }: TestVideo): string[] {
  const speed = encoder === 'libx264' ? ['-preset', 'ultrafast', '-sc_threshold', '0'] : []
  // One thread, because the number of threads changes what some encoders make.
  const threads = ['-threads', '1']
  return ['-c:v', encoder, ...speed, '-pix_fmt', 'yuv420p', '-bf', String(bFrames), '-g', String(gopFrames), ...threads]
}

function audioArgs({ encoder = 'aac', channels = 2 }: TestAudio): string[] {
  return ['-c:a', encoder, '-ac', String(channels)]
}

function formatOf(url: string): string | undefined {
  if (/^rtmps?:/u.test(url)) return 'flv'
  if (url.startsWith('rtsp:')) return 'rtsp'
  return url.startsWith('srt:') ? 'mpegts' : undefined
}
