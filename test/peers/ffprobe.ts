import { runQuietly } from './run-quietly.ts'

/** One packet of a stream or file, as ffprobe sees it. */
export type ProbedPacket = {
  readonly kind: 'video' | 'audio'
  /** Position of its stream in the container. */
  readonly stream: number
  /** Milliseconds; null when the container does not say. */
  readonly ptsMs: number | null
  readonly dtsMs: number | null
  readonly keyframe: boolean
  readonly sizeBytes: number
  /** MD5 of the payload in hexadecimal, as ffmpeg's demuxer gives it. */
  readonly md5: string
}

export type ProbeOptions = {
  /** Options before the input, for example `['-rtsp_transport', 'tcp']`. */
  readonly input?: readonly string[]
  /** Stop after this many packets; a live stream is otherwise read to its end. */
  readonly packets?: number
  /** Only one kind. */
  readonly kind?: 'video' | 'audio'
  /** Defaults to 60 s. */
  readonly timeoutMs?: number
}

type RawPacket = {
  readonly codec_type?: string
  readonly stream_index: number
  readonly pts_time?: string
  readonly dts_time?: string
  readonly flags: string
  readonly size: string
  readonly data_hash: string
}

/**
 * Reads a stream or file with ffprobe and returns its packets in order, with a hash of each.
 * @throws {Error} when it cannot be read, or ffprobe complains of something in it
 */
export async function ffprobePackets(url: string, options: ProbeOptions = {}): Promise<ProbedPacket[]> {
  const args = ['-v', 'warning', '-of', 'json', '-show_packets', '-show_data_hash', 'md5', ...(options.input ?? [])]
  if (options.kind !== undefined) args.push('-select_streams', options.kind === 'video' ? 'v' : 'a')
  if (options.packets !== undefined) args.push('-read_intervals', `%+#${options.packets}`)
  const output = await runQuietly('ffprobe', [...args, url], options.timeoutMs)
  const { packets } = JSON.parse(output.toString()) as { packets: readonly RawPacket[] }
  return packets.filter(({ codec_type: kind }) => kind === 'video' || kind === 'audio').map(toPacket)
}

/** What ffprobe says about one stream of a container. */
export type ProbedStream = {
  readonly kind: 'video' | 'audio'
  /** ffmpeg's name: `h264`, `hevc`, `aac`, … */
  readonly codec: string
  readonly width: number
  readonly height: number
  readonly sampleRate: number
  readonly channels: number
}

type RawStream = {
  readonly codec_type: string
  readonly codec_name: string
  readonly width?: number
  readonly height?: number
  readonly sample_rate?: string
  readonly channels?: number
}

/**
 * Reads the start of a stream or file with ffprobe and returns what streams are in it.
 * @throws {Error} as `ffprobePackets`
 */
export async function ffprobeStreams(
  url: string,
  options: Pick<ProbeOptions, 'input' | 'timeoutMs'> = {},
): Promise<ProbedStream[]> {
  const args = ['-v', 'warning', '-of', 'json', '-show_streams', ...(options.input ?? []), url]
  const output = await runQuietly('ffprobe', args, options.timeoutMs)
  const { streams } = JSON.parse(output.toString()) as { streams: readonly RawStream[] }
  return streams.map((stream) => ({
    kind: stream.codec_type === 'video' ? 'video' : 'audio',
    codec: stream.codec_name,
    width: stream.width ?? 0,
    height: stream.height ?? 0,
    sampleRate: Number(stream.sample_rate ?? 0),
    channels: stream.channels ?? 0,
  }))
}

function toPacket(raw: RawPacket): ProbedPacket {
  return {
    kind: raw.codec_type === 'video' ? 'video' : 'audio',
    stream: raw.stream_index,
    ptsMs: milliseconds(raw.pts_time),
    dtsMs: milliseconds(raw.dts_time),
    keyframe: raw.flags.startsWith('K'),
    sizeBytes: Number(raw.size),
    md5: raw.data_hash.replace(/^MD5:/u, ''),
  }
}

function milliseconds(seconds: string | undefined): number | null {
  return seconds === undefined ? null : Math.round(Number(seconds) * 1000)
}
