import { MalformedError } from '../../errors.ts'

/** AvMultitrackType of Enhanced RTMP v2. */
const MULTITRACK_TYPE = { oneTrack: 0, manyTracks: 1, manyTracksManyCodecs: 2 } as const

/** Packet type of a modifier before the packet proper, the same for audio and video. */
const MOD_EX_PACKET_TYPE = 7

/** Track ids are one byte, so no tag needs more. */
export const FLV_MAX_TRACKS_PER_TAG = 256

const MOD_EX_TIMESTAMP_OFFSET_NANO = 0
const MAX_TIMESTAMP_OFFSET_NS = 999_999

/** The result of the modifiers: the packet type after them, the offset at which the body goes on, and the time they add. */
export type ModEx = { readonly packetType: number; readonly offset: number; readonly timestampOffsetNs: number }

/** One track's share of an enhanced tag. */
export type EnhancedTrack = { readonly trackId: number; readonly fourCc: number; readonly data: Buffer }

/**
 * Steps over the ModEx packets that may follow the first byte (Enhanced RTMP v2, ExVideoTagHeader). Modifiers of an
 * unknown type are skipped, as their size is known.
 */
export function readModEx(body: Buffer, firstPacketType: number): ModEx {
  let packetType = firstPacketType
  let timestampOffsetNs = 0
  let offset = 1
  while (packetType === MOD_EX_PACKET_TYPE) {
    need(body, offset, 1)
    let sizeBytes = body[offset]! + 1
    offset += 1
    if (sizeBytes === 256) {
      need(body, offset, 2)
      sizeBytes = body.readUInt16BE(offset) + 1
      offset += 2
    }
    need(body, offset, sizeBytes + 1)
    const next = body[offset + sizeBytes]!
    if (next >> 4 === MOD_EX_TIMESTAMP_OFFSET_NANO) timestampOffsetNs = readTimestampOffsetNs(body, offset, sizeBytes)
    packetType = next & 0x0f
    offset += sizeBytes + 1
  }
  return { packetType, offset, timestampOffsetNs }
}

function readTimestampOffsetNs(body: Buffer, offset: number, sizeBytes: number): number {
  if (sizeBytes < 3) throw new MalformedError(`FLV: a nanosecond offset of ${sizeBytes} bytes`)
  return Math.min(body.readUIntBE(offset, 3), MAX_TIMESTAMP_OFFSET_NS)
}

/** The one track of a plain enhanced tag: FourCC, then its data. */
export function readSingleTrack(body: Buffer, offset: number): EnhancedTrack {
  need(body, offset, 4)
  return { trackId: 0, fourCc: body.readUInt32BE(offset), data: body.subarray(offset + 4) }
}

/**
 * Returns the tracks of a multitrack tag. At `offset` its body has the multitrack type and the packet type of all tracks.
 * @throws {MalformedError} when a size points outside the body, or a multitrack or ModEx packet is nested.
 */
export function readTracks(
  body: Buffer,
  offset: number,
  multitrackPacketType: number,
): { readonly packetType: number; readonly tracks: readonly EnhancedTrack[] } {
  need(body, offset, 1)
  const type = body[offset]! >> 4
  const packetType = body[offset]! & 0x0f
  if (packetType === multitrackPacketType || packetType === MOD_EX_PACKET_TYPE) {
    throw new MalformedError(`FLV: packet type ${packetType} inside a multitrack tag`)
  }
  switch (type) {
    case MULTITRACK_TYPE.oneTrack:
      need(body, offset + 1, 5)
      return {
        packetType,
        tracks: [
          { fourCc: body.readUInt32BE(offset + 1), trackId: body[offset + 5]!, data: body.subarray(offset + 6) },
        ],
      }
    case MULTITRACK_TYPE.manyTracks:
      need(body, offset + 1, 4)
      return { packetType, tracks: readSizedTracks(body, offset + 5, body.readUInt32BE(offset + 1)) }
    case MULTITRACK_TYPE.manyTracksManyCodecs:
      return { packetType, tracks: readSizedTracks(body, offset + 1, null) }
    default:
      throw new MalformedError(`FLV: multitrack type ${type}`)
  }
}

/** Tracks with a 24-bit size each, to the end of the body; with a FourCC each when they don't share one. */
function readSizedTracks(body: Buffer, start: number, sharedFourCc: number | null): EnhancedTrack[] {
  const tracks: EnhancedTrack[] = []
  let offset = start
  while (offset < body.length) {
    if (tracks.length === FLV_MAX_TRACKS_PER_TAG) throw new MalformedError('FLV: too many tracks in one tag')
    need(body, offset, sharedFourCc === null ? 8 : 4)
    const fourCc = sharedFourCc ?? body.readUInt32BE(offset)
    if (sharedFourCc === null) offset += 4
    const trackId = body[offset]!
    const sizeBytes = body.readUIntBE(offset + 1, 3)
    offset += 4
    need(body, offset, sizeBytes)
    tracks.push({ trackId, fourCc, data: body.subarray(offset, offset + sizeBytes) })
    offset += sizeBytes
  }
  return tracks
}

/**
 * The header of an enhanced tag, with `extraBytes` of room left at its end.
 * @param flags the high four bits of the first byte, in place.
 * @param multitrackId puts the packet into a multitrack tag of this one track.
 */
export function serializeEnhancedHeader(
  flags: number,
  packetType: number,
  fourCc: number,
  multitrack: { readonly packetType: number; readonly trackId: number } | null,
  extraBytes: number,
): Buffer {
  if (!multitrack) {
    const header = Buffer.allocUnsafe(5 + extraBytes)
    header[0] = flags | packetType
    header.writeUInt32BE(fourCc, 1)
    return header
  }
  const header = Buffer.allocUnsafe(7 + extraBytes)
  header[0] = flags | multitrack.packetType
  header[1] = (MULTITRACK_TYPE.oneTrack << 4) | packetType
  header.writeUInt32BE(fourCc, 2)
  header[6] = multitrack.trackId
  return header
}

function need(body: Buffer, offset: number, sizeBytes: number): void {
  if (offset + sizeBytes > body.length) {
    throw new MalformedError(`FLV: a tag body of ${body.length} bytes ends within its header`)
  }
}
