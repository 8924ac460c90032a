import { MalformedError } from '../errors.ts'

/** Size of the fixed header (RFC 3550 5.1), the whole one where there are no contributing sources and no extension. */
export const RTP_HEADER_SIZE_BYTES = 12

const VERSION = 2
const HAS_PADDING = 0x20
const HAS_EXTENSION = 0x10
const CSRC_COUNT = 0x0f
const CSRC_SIZE_BYTES = 4
const MARKER = 0x80
const EXTENSION_HEADER_SIZE_BYTES = 4
const EXTENSION_MAX_SIZE_BYTES = 0xffff * 4
/** The second byte of RTCP packets (RFC 5761 4): their types, which are RTP's payload types 64–95 with a marker. */
const RTCP_FIRST_TYPE = 192
const RTCP_LAST_TYPE = 223

const NO_CSRCS: readonly number[] = []

/** The fixed header of an RTP packet. */
export type RtpHeader = {
  /** 0–127. */
  readonly payloadType: number
  readonly marker: boolean
  /** 16 bits. */
  readonly sequenceNumber: number
  /** 32 bits. */
  readonly timestamp: number
  /** 32 bits. */
  readonly ssrc: number
}

/**
 * An RTP packet (RFC 3550 5.1):
 *
 *     version (2) | padding (1) | extension (1) | count of CSRCs (4) | marker (1) | payload type (7)
 *     | sequence number (16) | timestamp (32) | SSRC (32) | CSRCs (32 each)
 *     | extension: profile (16), count of words (16), words (32 each) | payload | padding, its size (8)
 */
export type RtpPacket = RtpHeader & {
  /** The contributing sources, at most 15. */
  readonly csrcs: readonly number[]
  readonly extension?: RtpHeaderExtension | undefined
  /** The payload without padding. */
  readonly payload: Buffer
}

/** The header extension as it lies in a packet (RFC 3550 5.3.1). */
export type RtpHeaderExtension = {
  /** 16 bits, for example 0xbede for elements with one-byte headers (RFC 8285 4.2). */
  readonly profile: number
  /** Whole words of 4 bytes. */
  readonly data: Buffer
}

/** Returns true for a packet of RTCP on a port that carries both (RFC 5761 4). */
export function isRtcp(bytes: Buffer): boolean {
  const type = bytes[1] ?? 0
  return type >= RTCP_FIRST_TYPE && type <= RTCP_LAST_TYPE
}

/**
 * Parses the packet that these bytes are; payload and extension are views into them.
 * @throws {MalformedError} when it is of another version, or a part of it is longer than the packet.
 */
export function parseRtpPacket(bytes: Buffer): RtpPacket {
  if (bytes.length < RTP_HEADER_SIZE_BYTES) throw new MalformedError(`RTP packet of ${bytes.length} bytes`)
  const flags = bytes[0]!
  if (flags >> 6 !== VERSION) throw new MalformedError(`RTP packet of version ${flags >> 6}`)
  const csrcsEnd = RTP_HEADER_SIZE_BYTES + (flags & CSRC_COUNT) * CSRC_SIZE_BYTES
  const extensionSizeBytes = (flags & HAS_EXTENSION) === 0 ? 0 : readExtensionSize(bytes, csrcsEnd)
  const start = csrcsEnd + extensionSizeBytes
  const end = bytes.length - ((flags & HAS_PADDING) === 0 ? 0 : readPaddingSize(bytes))
  if (start > end) throw new MalformedError(`RTP packet of ${bytes.length} bytes with ${start} before its payload`)
  const second = bytes[1]!
  return {
    payloadType: second & 0x7f,
    marker: second >= MARKER,
    sequenceNumber: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    ssrc: bytes.readUInt32BE(8),
    csrcs: csrcsEnd === RTP_HEADER_SIZE_BYTES ? NO_CSRCS : readCsrcs(bytes, csrcsEnd),
    extension: extensionSizeBytes === 0 ? undefined : readExtension(bytes, csrcsEnd, start),
    payload: bytes.subarray(start, end),
  }
}

function readCsrcs(bytes: Buffer, end: number): number[] {
  const csrcs: number[] = []
  for (let offset = RTP_HEADER_SIZE_BYTES; offset < end; offset += CSRC_SIZE_BYTES) {
    csrcs.push(bytes.readUInt32BE(offset))
  }
  return csrcs
}

function readExtensionSize(bytes: Buffer, offset: number): number {
  if (offset + EXTENSION_HEADER_SIZE_BYTES > bytes.length) {
    throw new MalformedError(`RTP packet of ${bytes.length} bytes with an extension at byte ${offset}`)
  }
  return EXTENSION_HEADER_SIZE_BYTES + bytes.readUInt16BE(offset + 2) * 4
}

function readExtension(bytes: Buffer, offset: number, end: number): RtpHeaderExtension {
  return { profile: bytes.readUInt16BE(offset), data: bytes.subarray(offset + EXTENSION_HEADER_SIZE_BYTES, end) }
}

function readPaddingSize(bytes: Buffer): number {
  const sizeBytes = bytes.at(-1)!
  if (sizeBytes === 0) throw new MalformedError('RTP packet with padding of 0 bytes')
  return sizeBytes
}

/**
 * Writes the bytes of a packet, without padding.
 * @throws {MalformedError} when there are too many contributing sources, or the extension is too long or of no whole words.
 */
export function serializeRtpPacket(packet: RtpPacket): Buffer {
  const { csrcs, extension, payload } = packet
  if (csrcs.length > CSRC_COUNT) throw new MalformedError(`RTP packet of ${csrcs.length} contributing sources`)
  const extensionSizeBytes = extension === undefined ? 0 : EXTENSION_HEADER_SIZE_BYTES + extension.data.length
  const headerSizeBytes = RTP_HEADER_SIZE_BYTES + csrcs.length * CSRC_SIZE_BYTES + extensionSizeBytes
  const bytes = Buffer.allocUnsafe(headerSizeBytes + payload.length)
  let offset = writeRtpHeader(bytes, 0, packet)
  bytes[0]! |= csrcs.length | (extension === undefined ? 0 : HAS_EXTENSION)
  for (const csrc of csrcs) offset = bytes.writeUInt32BE(csrc, offset)
  if (extension !== undefined) offset = writeExtension(bytes, offset, extension)
  payload.copy(bytes, offset)
  return bytes
}

function writeExtension(bytes: Buffer, offset: number, { profile, data }: RtpHeaderExtension): number {
  if (data.length % 4 !== 0 || data.length > EXTENSION_MAX_SIZE_BYTES) {
    throw new MalformedError(`RTP header extension of ${data.length} bytes`)
  }
  bytes.writeUInt16BE(profile, offset)
  bytes.writeUInt16BE(data.length / 4, offset + 2)
  return offset + EXTENSION_HEADER_SIZE_BYTES + data.copy(bytes, offset + EXTENSION_HEADER_SIZE_BYTES)
}

/**
 * Writes the 12 bytes before the payload of a packet that has no contributing sources and no extension. Sequence number
 * and timestamp are taken modulo their range, so that counters may go on past it.
 * @returns the offset after them.
 */
export function writeRtpHeader(out: Buffer, offset: number, header: RtpHeader): number {
  out[offset] = VERSION << 6
  out[offset + 1] = (header.marker ? MARKER : 0) | header.payloadType
  out.writeUInt16BE(header.sequenceNumber & 0xffff, offset + 2)
  out.writeUInt32BE(header.timestamp >>> 0, offset + 4)
  return out.writeUInt32BE(header.ssrc, offset + 8)
}
