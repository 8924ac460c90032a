import { parseHexDump } from '../peers/hex-dump.ts'
import { runPeer } from '../peers/process.ts'

/** One packet of a media file, with its bytes. */
export type MediaPacket = {
  readonly dtsMs: number
  readonly ptsMs: number
  readonly keyframe: boolean
  readonly data: Buffer
}

/** One stream of a media file. */
export type MediaStream = {
  readonly kind: 'video' | 'audio'
  /** What the decoder needs before the first packet, as ffmpeg knows it: `hvcC`, `av1C`, OpusHead. */
  readonly extradata: Buffer
  readonly packets: readonly MediaPacket[]
}

type Probed = {
  readonly streams: readonly { readonly codec_type: 'video' | 'audio'; readonly extradata?: string }[]
  readonly packets: readonly {
    readonly stream_index: number
    readonly dts_time: string
    readonly pts_time: string
    readonly flags: string
    readonly data: string
  }[]
}

/** Makes a short file with ffmpeg; the container is what its name says. */
export async function makeMediaFile(file: string, args: readonly string[]): Promise<void> {
  await runPeer('ffmpeg', ['-v', 'error', '-nostdin', ...args, '-y', file])
}

/** Reads all that is in a file, with the bytes as ffmpeg's demuxer gives them. */
export async function readMediaFile(file: string): Promise<MediaStream[]> {
  const show = ['-show_streams', '-show_packets', '-show_data']
  const output = await runPeer('ffprobe', ['-v', 'error', '-of', 'json', ...show, file])
  const { streams, packets } = JSON.parse(output.toString()) as Probed
  return streams.map(({ codec_type: kind, extradata = '' }, index) => ({
    kind,
    extradata: parseHexDump(extradata),
    packets: packets
      .filter(({ stream_index: stream }) => stream === index)
      .map((packet) => ({
        dtsMs: Math.round(Number(packet.dts_time) * 1000),
        ptsMs: Math.round(Number(packet.pts_time) * 1000),
        keyframe: packet.flags.startsWith('K'),
        data: parseHexDump(packet.data),
      })),
  }))
}
