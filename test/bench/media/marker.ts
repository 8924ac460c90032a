/** SEI of H.264 (7.3.1, 7.3.2.3) with a payload of type user_data_unregistered (D.1.7). */
const NALU_TYPE_SEI = 6
const PAYLOAD_TYPE_USER_DATA = 5
const TRAILING_BITS = 0x80
/** Names these markers among other user data. */
const UUID = Buffer.from('b3f0c51e77a94d0d9c5e53d18e2a6f41', 'hex')
/** As digits, in which no start code and nothing that would need emulation prevention can occur. */
const CLOCK_DIGITS = 16
const SEQUENCE_DIGITS = 8

const NALU_SIZE_BYTES = 3 + UUID.length + CLOCK_DIGITS + SEQUENCE_DIGITS + 1
const CLOCK_OFFSET = 4 + 3 + UUID.length
const SEQUENCE_OFFSET = CLOCK_OFFSET + CLOCK_DIGITS

/** What a marker takes of an access unit, its length prefix included. */
export const MARKER_SIZE_BYTES = 4 + NALU_SIZE_BYTES

/** Says when a frame left its publisher, and which one it is. */
export type Marker = {
  /** Of the monotonic clock, which all processes of a machine share. */
  readonly clockNs: bigint
  readonly sequence: number
}

/** A length-prefixed NAL unit, to be put first into an access unit. */
export function serializeMarker({ clockNs, sequence }: Marker): Buffer {
  const bytes = Buffer.allocUnsafe(MARKER_SIZE_BYTES)
  bytes.writeUInt32BE(NALU_SIZE_BYTES)
  bytes[4] = NALU_TYPE_SEI
  bytes[5] = PAYLOAD_TYPE_USER_DATA
  bytes[6] = UUID.length + CLOCK_DIGITS + SEQUENCE_DIGITS
  UUID.copy(bytes, 7)
  bytes.write(clockNs.toString(16).padStart(CLOCK_DIGITS, '0'), CLOCK_OFFSET, 'latin1')
  bytes.write(sequence.toString(16).padStart(SEQUENCE_DIGITS, '0'), SEQUENCE_OFFSET, 'latin1')
  bytes[MARKER_SIZE_BYTES - 1] = TRAILING_BITS
  return bytes
}

/** The marker at the start of an access unit's length-prefixed NAL units, or `null` when there is none. */
export function parseMarker(nalus: Buffer): Marker | null {
  if (nalus.length < MARKER_SIZE_BYTES || nalus[4] !== NALU_TYPE_SEI) return null
  if (UUID.compare(nalus, 7, 7 + UUID.length) !== 0) return null
  return readDigits(nalus, CLOCK_OFFSET)
}

/** The markers in a piece of media, of a container that leaves NAL units whole. */
export function findMarkers(media: Buffer): Marker[] {
  const markers: Marker[] = []
  for (let at = media.indexOf(UUID); at >= 0; at = media.indexOf(UUID, at + UUID.length)) {
    const marker = readDigits(media, at + UUID.length)
    if (marker !== null) markers.push(marker)
  }
  return markers
}

function readDigits(bytes: Buffer, offset: number): Marker | null {
  const clock = bytes.toString('latin1', offset, offset + CLOCK_DIGITS)
  const sequence = bytes.toString('latin1', offset + CLOCK_DIGITS, offset + CLOCK_DIGITS + SEQUENCE_DIGITS)
  if (!/^[\da-f]{24}$/u.test(clock + sequence)) return null
  return { clockNs: BigInt(`0x${clock}`), sequence: Number.parseInt(sequence, 16) }
}
