import { MalformedError } from 'sluice/sdk/media'
import { SEQUENCE_MASK, sequenceDistance } from '../sequence.ts'

/** More ranges than this are not read: a datagram of 1,500 bytes has room for 364 single numbers. */
export const MAX_LOSS_RANGES = 512

/**
 * Longest range that a report may have: libsrt's default flow window, the most packets in flight. A longer range asks for more than was
 * ever sent.
 */
export const MAX_LOSS_RANGE_PACKETS = 25_600

const WORD_BYTES = 4
const RANGE_BIT = 0x8000_0000

/** First and last sequence number of packets that are missing, both included. */
export type LossRange = readonly [first: number, last: number]

/**
 * Reads the loss list of a NAK (draft-sharabayko-srt-01 section 3.2.5 and appendix A): a single number has bit 0
 * clear, a range is two words of which the first has it set. Ranges beyond MAX_LOSS_RANGES are left unread.
 * @throws {MalformedError} on an empty list, a range without end, one that goes backwards, and one that is too long
 */
export function parseLossList(bytes: Buffer): LossRange[] {
  if (bytes.length < WORD_BYTES) throw new MalformedError(`SRT loss report of ${bytes.length} bytes`)
  const ranges: LossRange[] = []
  for (let at = 0; at + WORD_BYTES <= bytes.length && ranges.length < MAX_LOSS_RANGES; at += WORD_BYTES) {
    const word = bytes.readUInt32BE(at)
    if (word < RANGE_BIT) {
      ranges.push([word, word])
      continue
    }
    at += WORD_BYTES
    if (at + WORD_BYTES > bytes.length) throw new MalformedError(`SRT loss range at byte ${at - WORD_BYTES} has no end`)
    ranges.push(checked(word & SEQUENCE_MASK, bytes.readUInt32BE(at)))
  }
  return ranges
}

export function serializeLossList(ranges: readonly LossRange[]): Buffer {
  const bytes = Buffer.allocUnsafe(ranges.length * 2 * WORD_BYTES)
  let at = 0
  for (const [first, last] of ranges) {
    if (first !== last) at = bytes.writeUInt32BE(first + RANGE_BIT, at)
    at = bytes.writeUInt32BE(last, at)
  }
  return bytes.subarray(0, at)
}

function checked(first: number, last: number): LossRange {
  const distance = sequenceDistance(first, last)
  if (last >= RANGE_BIT || distance < 0 || distance >= MAX_LOSS_RANGE_PACKETS) {
    throw new MalformedError(`SRT loss range from ${first} to ${last}`)
  }
  return [first, last]
}
