import { parseHexDump } from './hex-dump.ts'
import { PeerProcess, runPeer } from './process.ts'
import type { PeerFrame, RtspTransport } from './rtsp.ts'
import { runQuietly } from './run-quietly.ts'

const TRANSPORTS = { tcp: 'tcp', udp: 'udp', multicast: 'udp_multicast', http: 'http' } as const satisfies Record<
  RtspTransport,
  string
>

type RawPacket = { readonly codec_type?: string; readonly pts_time?: string; readonly data: string }

/** Starts ffmpeg sending a file as it is to `rtsp://…` or `rtsps://…`, at the speed of the clock. */
export function publishRtspByFfmpeg(file: string, url: string, transport: 'tcp' | 'udp'): PeerProcess {
  const input = ['-v', 'warning', '-nostdin', '-re', '-i', file]
  return new PeerProcess('ffmpeg', [...input, '-c', 'copy', '-f', 'rtsp', '-rtsp_transport', transport, url])
}

export type FfmpegPlayOptions = {
  /** Options before the input, for example `['-rtsp_flags', 'listen']`. */
  readonly input?: readonly string[]
  /** Stop after this many packets of all streams; otherwise at the end of the stream. */
  readonly packets?: number
  /** Packets are lost on the way: complaints of ffmpeg are no failure. */
  readonly lossy?: boolean
  /** Defaults to 60 s. */
  readonly timeoutMs?: number
}

/**
 * Plays an RTSP address in ffprobe, and returns what it got in the order of decoding. Of a picture before the first that
 * shows how far decoding is ahead, it does not know the time.
 * @throws {Error} when it cannot be read, or ffprobe complains of something in it
 */
export function playRtspByFfmpeg(
  url: string,
  transport: RtspTransport,
  options: FfmpegPlayOptions = {},
): Promise<PeerFrame[]> {
  return ffprobeFrames(url, { ...options, input: ['-rtsp_transport', TRANSPORTS[transport], ...(options.input ?? [])] })
}

/**
 * Reads the frames of a stream or file, with their bytes as ffmpeg's demuxer gives them.
 * @throws {Error} as `playRtspByFfmpeg`
 */
export async function ffprobeFrames(url: string, options: FfmpegPlayOptions = {}): Promise<PeerFrame[]> {
  const args = ['-v', 'warning', '-of', 'json', '-show_packets', '-show_data', ...(options.input ?? [])]
  if (options.packets !== undefined) args.push('-read_intervals', `%+#${options.packets}`)
  const run = options.lossy === true ? runPeer : runQuietly
  const output = await run('ffprobe', [...args, url], options.timeoutMs)
  const { packets } = JSON.parse(output.toString()) as { packets: readonly RawPacket[] }
  return packets.flatMap(({ codec_type: kind, pts_time: pts, data }) =>
    kind === 'video' || kind === 'audio'
      ? [{ kind, ptsMs: pts === undefined ? null : Number(pts) * 1000, data: parseHexDump(data) }]
      : [],
  )
}
