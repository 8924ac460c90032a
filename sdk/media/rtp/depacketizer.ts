import type { AudioCodec, AudioConfig, VideoCodec, VideoConfig } from '../track.ts'
import type { RtpPacket } from './packet.ts'

type FrameFields = {
  /** The RTP time of its presentation, 32 bits in ticks of the format's clock rate. */
  readonly timestamp: number
  /** A decoder can start here; always true for sound. */
  readonly keyframe: boolean
  /** The configuration that holds from this frame on, where it shows that it is another than before. */
  readonly config?: VideoConfig | AudioConfig
}

/**
 * A whole access unit as it came by RTP: NAL units of H.264 and H.265, all parameter sets included, else the bytes that
 * `AccessUnit.fromData` takes. They are views into the packets, or bytes of their own.
 */
export type RtpFrame = FrameFields & ({ readonly nalus: readonly Buffer[] } | { readonly data: Buffer })

/** Puts access units together from the payloads of one RTP stream. */
export interface RtpDepacketizer {
  readonly codec: VideoCodec | AudioCodec
  /** The configuration that SDP states before the first packet; undefined where frames have to show it first. */
  readonly config: VideoConfig | AudioConfig | undefined
  /**
   * Takes the next packet, in order of sequence numbers, and returns the frames that are complete by it. The payload is kept,
   * not copied.
   * @param follows false where packets are missing before this one: a frame that was begun is given up
   * @throws {MalformedError} when the payload is broken, and a frame that was begun is given up; it can go on with the next
   *   packet
   */
  push(packet: RtpPacket, follows: boolean): readonly RtpFrame[]
}
