import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { mpegCrc32 } from '../pes/crc32.ts'

/** The largest `program_stream_map_length` (ISO/IEC 13818-1 2.5.4.2). */
export const PSM_MAX_LENGTH = 0x3fa
/** The size of the start code and the length. */
export const PSM_PREFIX_SIZE_BYTES = 6

const START_CODE = 0x0000_01bc
const CRC_SIZE_BYTES = 4
const CURRENT = 0x80
const RESERVED_BITS = 0x60
const VERSION_MASK = 0x1f
const MARKER = 0xff

/** One elementary stream of a program stream map. */
export type PsStreamEntry = {
  /** Of ISO/IEC 13818-1 table 2-34, and of GB/T 28181 annex C. */
  readonly streamType: number
  /** The stream id of its PES packets. */
  readonly streamId: number
}

/** A program stream map (2.5.4), without its descriptors. */
export type PsStreamMap = {
  /** 0–31. */
  readonly version: number
  /** False where the map is to hold only later. */
  readonly current: boolean
  readonly streams: readonly PsStreamEntry[]
}

/**
 * Reads a program stream map with its start code. Senders compute its checksum wrongly, so it isn't compared.
 * @throws {MalformedError} when a length is wrong.
 */
export function parsePsStreamMap(bytes: Buffer): PsStreamMap {
  const reader = new ByteReader(bytes)
  if (reader.readUint(4) !== START_CODE) throw new MalformedError('no start code of a program stream map')
  const body = new ByteReader(reader.readBytes(reader.readUint(2)))
  const flags = body.readUint(1)
  body.readUint(1)
  body.readBytes(body.readUint(2))
  const entries = new ByteReader(body.readBytes(body.readUint(2)))
  const streams: PsStreamEntry[] = []
  while (entries.bytesLeft > 0) {
    streams.push({ streamType: entries.readUint(1), streamId: entries.readUint(1) })
    entries.readBytes(entries.readUint(2))
  }
  return { version: flags & VERSION_MASK, current: (flags & CURRENT) !== 0, streams }
}

/** Writes a program stream map without descriptors. */
export function serializePsStreamMap({ version, current, streams }: PsStreamMap): Buffer {
  const entries = streams.flatMap(({ streamType, streamId }) => [streamType, streamId, 0, 0])
  const flags = (current ? CURRENT : 0) | RESERVED_BITS | version
  const body = [flags, MARKER, 0, 0, entries.length >> 8, entries.length & 0xff, ...entries]
  const length = body.length + CRC_SIZE_BYTES
  const bytes = Buffer.from([0, 0, 1, START_CODE & 0xff, length >> 8, length & 0xff, ...body, 0, 0, 0, 0])
  bytes.writeUInt32BE(mpegCrc32(bytes.subarray(0, -CRC_SIZE_BYTES)), bytes.length - CRC_SIZE_BYTES)
  return bytes
}
