import type { AccessUnit, Track } from 'sluice/sdk'
import { createRtpPacketizer, MalformedError, type RtpPacketizer, type RtpPayload } from 'sluice/sdk/media'
import { BframeFilter } from './bframes.ts'

/**
 * The largest payload. It fits into datagrams of 1,200 bytes, which pass nearly every network (RFC 8834 4.3), with
 * an RTP header of 12 bytes, its extension with the time of sending (8), the number of a packet that is sent again (2), and
 * the tag of AES-GCM (16). A datagram whose extension names its media has up to 20 bytes more, as IPv6 always carries.
 */
export const MAX_PAYLOAD_BYTES = 1162

/** The payload of a packet, which all viewers share. Its bytes must not be changed. */
export type MediaPacket = {
  readonly payload: Buffer
  readonly marker: boolean
  /** The ticks of the clock rate by which it plays later than its unit. */
  readonly offsetTicks: number
}

const NO_PACKETS: readonly MediaPacket[] = []

/** Cuts the units of one track into packets, once for all viewers of all sessions. */
class TrackCutter {
  readonly filter: BframeFilter | undefined
  readonly #packetizer: RtpPacketizer

  constructor(track: Track) {
    this.filter = track.codec === 'h264' || track.codec === 'h265' ? new BframeFilter() : undefined
    this.#packetizer = createRtpPacketizer(track, MAX_PAYLOAD_BYTES)
  }

  cut(unit: AccessUnit): readonly MediaPacket[] {
    if (this.filter?.drops(unit) === true) return NO_PACKETS
    const payloads = this.#packetizer.packetize(unit)
    let joinedBytes = 0
    for (const { parts, sizeBytes } of payloads) if (parts.length > 1) joinedBytes += sizeBytes
    const joined = Buffer.allocUnsafe(joinedBytes)
    let end = 0
    return payloads.map((payload) => {
      const isWhole = payload.parts.length === 1
      const bytes = isWhole ? payload.parts[0]! : join(payload, joined.subarray(end, end + payload.sizeBytes))
      if (!isWhole) end += payload.sizeBytes
      return { payload: bytes, marker: payload.marker, offsetTicks: payload.offsetTicks ?? 0 }
    })
  }
}

function join({ parts }: RtpPayload, bytes: Buffer): Buffer {
  let offset = 0
  for (const part of parts) offset += part.copy(bytes, offset)
  return bytes
}

const cutters = new WeakMap<Track, TrackCutter>()
/** The packets by the bytes of units, which units at other times share. */
const cut = new WeakMap<object, readonly MediaPacket[]>()

function cutterOf(track: Track): TrackCutter {
  const known = cutters.get(track)
  if (known !== undefined) return known
  const cutter = new TrackCutter(track)
  cutters.set(track, cutter)
  return cutter
}

/**
 * The packets of a unit, which are made for its first viewer. There are none for a B-frame that is left out, and for a malformed unit. The
 * pictures of a track come here in decoding order, each as soon as it has come.
 */
export function packetsOf(unit: AccessUnit): readonly MediaPacket[] {
  try {
    const { codec } = unit.track
    const bytes = codec === 'h264' || codec === 'h265' ? unit.nalus : unit.data
    const known = cut.get(bytes)
    if (known !== undefined) return known
    const packets = cutterOf(unit.track).cut(unit)
    cut.set(bytes, packets)
    return packets
  } catch (error) {
    if (error instanceof MalformedError) return NO_PACKETS
    throw error
  }
}

/** The warning about the B-frames of a track, by the pictures that were cut; undefined without any. */
export function bframesSeen(track: Track): string | undefined {
  return cutters.get(track)?.filter?.problem
}
