import { MalformedError } from '../../errors.ts'
import { modulo, PES_CLOCK_RANGE } from './clock.ts'

/** Kinds of PES packets (ISO/IEC 13818-1 table 2-22) that are written here. */
export const PES_STREAM_ID = { privateStream1: 0xbd, audio: 0xc0, video: 0xe0, metadata: 0xfc } as const

/** The largest `PES_packet_length`; video alone may be longer, with a length of 0. */
export const PES_MAX_LENGTH = 0xffff
/** Size of the start code, stream id and length. */
export const PES_PREFIX_SIZE_BYTES = 6

const START_CODE_PREFIX = 1
const FLAGS_END_BYTES = 9
const TIME_SIZE_BYTES = 5
const HAS_PTS = 0x80
const HAS_DTS = 0x40
const MARKER_BITS = 0x80
const DATA_ALIGNED = 0x04
/** Stream ids of packets that have no flags and times: program stream map, padding, private stream 2, ECM and so on. */
const BARE_STREAM_IDS = new Set([0xbc, 0xbe, 0xbf, 0xf0, 0xf1, 0xf2, 0xf8, 0xff])

/**
 * The start of a PES packet (2.4.3.6):
 *
 *     00 00 01 | stream id (8) | length of the rest (16) | 10 | scrambling (2) | priority, alignment, copyright,
 *     original (4) | has PTS, has DTS (2) | other fields (6) | length of what follows (8) | PTS (40) | DTS (40) | …
 */
export type PesHeader = {
  readonly streamId: number
  /** Size of the header; the data begins behind it. */
  readonly sizeBytes: number
  /** Times of 90 kHz in 33 bits. Undefined when the header has none; `dts` also when it equals `pts`. */
  readonly pts: number | undefined
  readonly dts: number | undefined
}

/**
 * The size of the whole packet from its first 6 bytes; infinite when it goes on until the next one begins.
 * @throws {MalformedError} when no PES packet begins here.
 */
export function pesPacketSize(bytes: Buffer): number {
  if (bytes.readUIntBE(0, 3) !== START_CODE_PREFIX) throw new MalformedError('no PES start code')
  const length = bytes.readUInt16BE(4)
  return length === 0 ? Infinity : PES_PREFIX_SIZE_BYTES + length
}

/** @throws {MalformedError} when it ends early or is of a kind without elementary data. */
export function parsePesHeader(bytes: Buffer): PesHeader {
  if (bytes.length < FLAGS_END_BYTES) throw new MalformedError(`PES packet of ${bytes.length} bytes`)
  if (bytes.readUIntBE(0, 3) !== START_CODE_PREFIX) throw new MalformedError('no PES start code')
  const streamId = bytes[3]!
  if (BARE_STREAM_IDS.has(streamId)) throw new MalformedError(`PES packet of stream id ${streamId}`)
  const flags = bytes[7]!
  const sizeBytes = FLAGS_END_BYTES + bytes[8]!
  const hasPts = (flags & HAS_PTS) !== 0
  const hasDts = hasPts && (flags & HAS_DTS) !== 0
  const neededBytes = FLAGS_END_BYTES + (hasPts ? TIME_SIZE_BYTES : 0) + (hasDts ? TIME_SIZE_BYTES : 0)
  if (sizeBytes > bytes.length || sizeBytes < neededBytes) throw new MalformedError(`PES header of ${sizeBytes} bytes`)
  return {
    streamId,
    sizeBytes,
    pts: hasPts ? readTime(bytes, FLAGS_END_BYTES) : undefined,
    dts: hasDts ? readTime(bytes, FLAGS_END_BYTES + TIME_SIZE_BYTES) : undefined,
  }
}

/**
 * The bytes before the data of a packet that begins with a unit. Times are taken modulo 2^33.
 * @throws {MalformedError} when the data is too long for a stream that is not video.
 */
export function serializePesHeader(streamId: number, pts: number, dts: number, dataSizeBytes: number): Buffer {
  const hasDts = pts !== dts
  const timesSizeBytes = hasDts ? 2 * TIME_SIZE_BYTES : TIME_SIZE_BYTES
  const bytes = Buffer.allocUnsafe(FLAGS_END_BYTES + timesSizeBytes)
  const length = bytes.length - PES_PREFIX_SIZE_BYTES + dataSizeBytes
  if (length > PES_MAX_LENGTH && streamId !== PES_STREAM_ID.video) {
    throw new MalformedError(`unit of ${dataSizeBytes} bytes does not fit a PES packet that is not of video`)
  }
  bytes.writeUInt32BE((START_CODE_PREFIX << 8) | streamId, 0)
  bytes.writeUInt16BE(length > PES_MAX_LENGTH ? 0 : length, 4)
  bytes[6] = MARKER_BITS | DATA_ALIGNED
  bytes[7] = hasDts ? HAS_PTS | HAS_DTS : HAS_PTS
  bytes[8] = timesSizeBytes
  writeTime(bytes, FLAGS_END_BYTES, hasDts ? 3 : 2, modulo(pts, PES_CLOCK_RANGE))
  if (hasDts) writeTime(bytes, FLAGS_END_BYTES + TIME_SIZE_BYTES, 1, modulo(dts, PES_CLOCK_RANGE))
  return bytes
}

/**
 * The bytes before data that goes on from the packet before, and so has no times.
 * @throws {MalformedError} when the data is too long for one packet.
 */
export function serializePesContinuation(streamId: number, dataSizeBytes: number): Buffer {
  const length = FLAGS_END_BYTES - PES_PREFIX_SIZE_BYTES + dataSizeBytes
  if (length > PES_MAX_LENGTH) throw new MalformedError(`${dataSizeBytes} bytes do not fit a PES packet`)
  return Buffer.from([0, 0, 1, streamId, length >> 8, length & 0xff, MARKER_BITS, 0, 0])
}

// prefix (4) | bits 32–30 | 1 | bits 29–15 | 1 | bits 14–0 | 1
function writeTime(bytes: Buffer, offset: number, prefix: number, time: number): void {
  const low = time % 2 ** 30
  bytes[offset] = (prefix << 4) | (Math.floor(time / 2 ** 30) << 1) | 1
  bytes.writeUInt16BE(((low >>> 15) << 1) | 1, offset + 1)
  bytes.writeUInt16BE(((low & 0x7fff) << 1) | 1, offset + 3)
}

function readTime(bytes: Buffer, offset: number): number {
  const high = (bytes[offset]! >> 1) & 7
  const middle = bytes.readUInt16BE(offset + 1) >> 1
  const low = bytes.readUInt16BE(offset + 3) >> 1
  return high * 2 ** 30 + middle * 2 ** 15 + low
}
