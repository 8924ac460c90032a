import { MalformedError } from '../errors.ts'
import type { Track } from '../track.ts'
import { AacDepacketizer } from './aac/depacketizer.ts'
import { AacPacketizer } from './aac/packetizer.ts'
import { Ac3Depacketizer } from './ac3/depacketizer.ts'
import { Ac3Packetizer } from './ac3/packetizer.ts'
import { Av1Depacketizer } from './av1/depacketizer.ts'
import { Av1Packetizer } from './av1/packetizer.ts'
import type { RtpDepacketizer } from './depacketizer.ts'
import type { RtpFormat } from './format.ts'
import { H264Depacketizer } from './h264/depacketizer.ts'
import { H264Packetizer } from './h264/packetizer.ts'
import { H265Depacketizer } from './h265/depacketizer.ts'
import { H265Packetizer } from './h265/packetizer.ts'
import { LatmDepacketizer } from './latm/depacketizer.ts'
import { MpaDepacketizer } from './mpa/depacketizer.ts'
import { MpaPacketizer } from './mpa/packetizer.ts'
import { MpaRobustDepacketizer } from './mpa-robust/depacketizer.ts'
import { OpusDepacketizer } from './opus/depacketizer.ts'
import { OpusPacketizer } from './opus/packetizer.ts'
import type { RtpPacketizer } from './packetizer.ts'
import { SampleBasedDepacketizer } from './sample-based/depacketizer.ts'
import { SampleBasedPacketizer } from './sample-based/packetizer.ts'
import { Vp8Depacketizer } from './vp8/depacketizer.ts'
import { Vp8Packetizer } from './vp8/packetizer.ts'
import { Vp9Depacketizer } from './vp9/depacketizer.ts'
import { Vp9Packetizer } from './vp9/packetizer.ts'

/** The name of MPEG-2 TS (RFC 2250 2), which holds several tracks. */
export const MP2T_ENCODING = 'MP2T'

/** The depacketizers by the registered names of payload formats. */
const DEPACKETIZERS: Readonly<Record<string, new (format: RtpFormat) => RtpDepacketizer>> = {
  H264: H264Depacketizer,
  H265: H265Depacketizer,
  HEVC: H265Depacketizer,
  AV1: Av1Depacketizer,
  VP8: Vp8Depacketizer,
  VP9: Vp9Depacketizer,
  'MPEG4-GENERIC': AacDepacketizer,
  'MP4A-LATM': LatmDepacketizer,
  OPUS: OpusDepacketizer,
  MULTIOPUS: OpusDepacketizer,
  PCMA: SampleBasedDepacketizer,
  PCMU: SampleBasedDepacketizer,
  G722: SampleBasedDepacketizer,
  L16: SampleBasedDepacketizer,
  MPA: MpaDepacketizer,
  'MPA-ROBUST': MpaRobustDepacketizer,
  AC3: Ac3Depacketizer,
  EAC3: Ac3Depacketizer,
}

/** Returns the reason why a format can't be received; undefined where it can. */
export function rtpFormatProblem(format: RtpFormat): string | undefined {
  if (format.encodingName === MP2T_ENCODING) return undefined
  try {
    createRtpDepacketizer(format)
    return undefined
  } catch (error) {
    if (error instanceof MalformedError) return error.message
    throw error
  }
}

/**
 * Makes the depacketizer of a format.
 * @throws {MalformedError} when the format is not supported, or not as its parameters have it
 */
export function createRtpDepacketizer(format: RtpFormat): RtpDepacketizer {
  const Depacketizer = DEPACKETIZERS[format.encodingName]
  if (Depacketizer === undefined) throw new MalformedError(`RTP payloads of ${format.encodingName} are not supported`)
  return new Depacketizer(format)
}

/**
 * Makes the packetizer of a track that `canCarryInRtp` accepts.
 * @param maxPayloadBytes at least 32
 * @throws {RangeError} when RTP can't carry the track, or `maxPayloadBytes` is too small
 */
export function createRtpPacketizer(track: Track, maxPayloadBytes: number): RtpPacketizer {
  switch (track.codec) {
    case 'h264':
      return new H264Packetizer({ maxPayloadBytes })
    case 'h265':
      return new H265Packetizer({ maxPayloadBytes })
    case 'av1':
      return new Av1Packetizer({ maxPayloadBytes })
    case 'vp8':
      return new Vp8Packetizer({ maxPayloadBytes })
    case 'vp9':
      return new Vp9Packetizer({ maxPayloadBytes })
    case 'aac':
      return new AacPacketizer({ maxPayloadBytes })
    case 'opus':
      return new OpusPacketizer()
    case 'pcma':
    case 'pcmu':
    case 'g722':
    case 'l16':
      return new SampleBasedPacketizer({ maxPayloadBytes, codec: track.codec, channels: track.config.channels })
    case 'mp3':
    case 'mp2':
      return new MpaPacketizer({ maxPayloadBytes })
    case 'ac3':
    case 'eac3':
      return new Ac3Packetizer({ maxPayloadBytes, codec: track.codec })
    default:
      throw new RangeError(`RTP can't carry ${track.codec}`)
  }
}
