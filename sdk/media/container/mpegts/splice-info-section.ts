import { MalformedError } from '../../errors.ts'
import { modulo, PES_CLOCK_RANGE } from '../pes/clock.ts'
import { mpegCrc32 } from '../pes/crc32.ts'
import { sectionSize } from './section.ts'

/** `section_length` is 4093 at most (ANSI/SCTE 35 9.6). */
export const MAX_SPLICE_SECTION_SIZE_BYTES = 4096

const TABLE_ID = 0xfc
/** The size of a section without command and descriptors. */
const MIN_SIZE_BYTES = 20
const CRC_SIZE_BYTES = 4
const ADJUSTMENT_OFFSET = 4

/**
 * Returns a splice information section (ANSI/SCTE 35 9.6) that means the same at another place in time:
 *
 *     table id 0xfc (8) | 0 | 0 | SAP type (2) | length of the rest (12) | protocol version (8) | encrypted (1)
 *     | algorithm (6) | pts_adjustment (33) | … | CRC (32)
 *
 * `pts_adjustment` is added to all times within, also encrypted ones. It gets `ticks` of 90 kHz more, modulo 2^33.
 * @throws {MalformedError} when it is no such section, or its checksum is wrong.
 */
export function moveSpliceTimes(section: Buffer, ticks: number): Buffer {
  if (section.length < MIN_SIZE_BYTES || section[0] !== TABLE_ID || sectionSize(section) !== section.length) {
    throw new MalformedError(`no splice information section in ${section.length} bytes`)
  }
  if (mpegCrc32(section) !== 0) throw new MalformedError('splice information section with a wrong checksum')
  const moved = Buffer.from(section)
  const highByte = section[ADJUSTMENT_OFFSET]!
  const adjustment = (highByte & 1) * 2 ** 32 + section.readUInt32BE(ADJUSTMENT_OFFSET + 1)
  const next = modulo(adjustment + ticks, PES_CLOCK_RANGE)
  moved[ADJUSTMENT_OFFSET] = (highByte & 0xfe) | (next >= 2 ** 32 ? 1 : 0)
  moved.writeUInt32BE(next % 2 ** 32, ADJUSTMENT_OFFSET + 1)
  moved.writeUInt32BE(mpegCrc32(moved.subarray(0, -CRC_SIZE_BYTES)), moved.length - CRC_SIZE_BYTES)
  return moved
}
