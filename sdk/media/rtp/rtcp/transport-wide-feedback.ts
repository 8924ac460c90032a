import { BitWriter } from '../../bits/bit-writer.ts'
import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import type { TransportFeedback } from './transport-feedback.ts'

/** The most packets of one feedback. Few bytes can name very many of them as lost. */
export const TRANSPORT_WIDE_MAX_PACKETS = 4096
/** The unit of arrival times, in milliseconds. */
export const TRANSPORT_WIDE_TICK_MS = 0.25
/** The unit of the reference time, in milliseconds. */
export const TRANSPORT_WIDE_REFERENCE_MS = 64

const FORMAT = 15
const MISSING = 0
const SMALL = 1
const LARGE = 2
const MAX_SMALL_DELTA = 0xff
const MIN_LARGE_DELTA = -0x8000
const MAX_LARGE_DELTA = 0x7fff
const MAX_RUN = 0x1fff
const ONE_BIT_SYMBOLS = 14
const TWO_BIT_SYMBOLS = 7
/** The length from which on a run takes no more bytes than symbols of two bits. */
const MIN_RUN = TWO_BIT_SYMBOLS

/** The arrival of a transport's packets, of all its streams. */
export type TransportWideFeedback = {
  /** The sender's number of the first packet, 16 bits; the others follow it. */
  readonly baseSequenceNumber: number
  /** The time that the first arrival counts from, in units of 64 ms, of 24 bits with a sign. */
  readonly referenceTime: number
  /** The number of the feedback, 8 bits. */
  readonly feedbackCount: number
  /**
   * The arrival time of each packet less that of the last one before it that arrived, in units of 250 µs, 16 bits with a
   * sign; undefined for packets that have not arrived.
   */
  readonly arrivals: readonly (number | undefined)[]
}

/**
 * Reads feedback on the packets of a transport (draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1):
 *
 *     base sequence number (16) | count of packets (16) | reference time (24) | count of feedback (8)
 *     | chunks of symbols (16 each) | differences of arrival times (8 or 16 each)
 *
 * It is undefined for feedback of another kind.
 * @throws {MalformedError} when it ends early, has a symbol that is reserved, or speaks of too many packets
 */
export function parseTransportWideFeedback({ format, data }: TransportFeedback): TransportWideFeedback | undefined {
  if (format !== FORMAT) return undefined
  const reader = new ByteReader(data)
  const baseSequenceNumber = reader.readUint(2)
  const count = reader.readUint(2)
  if (count > TRANSPORT_WIDE_MAX_PACKETS) throw new MalformedError(`feedback on the transport of ${count} packets`)
  const referenceTime = (reader.readUint(3) << 8) >> 8
  const feedbackCount = reader.readUint(1)
  const arrivals = readSymbols(reader, count).map((symbol) => readArrival(reader, symbol))
  return { baseSequenceNumber, referenceTime, feedbackCount, arrivals }
}

function readSymbols(reader: ByteReader, count: number): number[] {
  const symbols: number[] = []
  while (symbols.length < count) {
    const chunk = reader.readUint(2)
    const [length, symbolAt] = chunkSymbols(chunk)
    for (let index = 0; index < length && symbols.length < count; index += 1) symbols.push(symbolAt(index))
  }
  return symbols
}

/**
 * The symbols of a chunk (3.1.3, 3.1.4):
 *
 *     0 | symbol (2) | how often it comes (13)      1 | 0 | symbols (1 each)      1 | 1 | symbols (2 each)
 */
function chunkSymbols(chunk: number): readonly [length: number, symbolAt: (index: number) => number] {
  if ((chunk & 0x8000) === 0) return [chunk & MAX_RUN, () => (chunk >> 13) & 3]
  if ((chunk & 0x4000) === 0) return [ONE_BIT_SYMBOLS, (index) => (chunk >> (ONE_BIT_SYMBOLS - 1 - index)) & 1]
  return [TWO_BIT_SYMBOLS, (index) => (chunk >> (2 * (TWO_BIT_SYMBOLS - 1 - index))) & 3]
}

function readArrival(reader: ByteReader, symbol: number): number | undefined {
  switch (symbol) {
    case MISSING:
      return undefined
    case SMALL:
      return reader.readUint(1)
    case LARGE:
      return (reader.readUint(2) << 16) >> 16
    default:
      throw new MalformedError(`arrival of symbol ${symbol} in feedback on the transport`)
  }
}

/**
 * Makes feedback on the packets of a transport.
 * @throws {MalformedError} when it speaks of too many packets, or of times too far apart
 */
export function transportWideFeedback(
  senderSsrc: number,
  mediaSsrc: number,
  { baseSequenceNumber, referenceTime, feedbackCount, arrivals }: TransportWideFeedback,
): TransportFeedback {
  if (arrivals.length > TRANSPORT_WIDE_MAX_PACKETS) {
    throw new MalformedError(`feedback on the transport of ${arrivals.length} packets`)
  }
  const writer = new BitWriter()
  writer.writeBits(baseSequenceNumber, 16)
  writer.writeBits(arrivals.length, 16)
  writer.writeBits(referenceTime & 0xffffff, 24)
  writer.writeBits(feedbackCount, 8)
  writeChunks(writer, arrivals.map(symbolOf))
  for (const arrival of arrivals) {
    if (arrival !== undefined) writer.writeBits(arrival & 0xffff, symbolOf(arrival) === SMALL ? 8 : 16)
  }
  const bytes = writer.toBuffer()
  const data = Buffer.alloc(Math.ceil(bytes.length / 4) * 4)
  bytes.copy(data)
  return { kind: 'transportFeedback', format: FORMAT, senderSsrc, mediaSsrc, data }
}

function symbolOf(arrival: number | undefined): number {
  if (arrival === undefined) return MISSING
  if (arrival >= 0 && arrival <= MAX_SMALL_DELTA) return SMALL
  if (arrival >= MIN_LARGE_DELTA && arrival <= MAX_LARGE_DELTA) return LARGE
  throw new MalformedError(`arrival ${arrival * TRANSPORT_WIDE_TICK_MS} ms after another in feedback on the transport`)
}

/** Writes the kind of chunk with the most symbols. */
function writeChunks(writer: BitWriter, symbols: readonly number[]): void {
  let offset = 0
  while (offset < symbols.length) {
    const run = runLength(symbols, offset)
    const nextSymbols = symbols.slice(offset, offset + ONE_BIT_SYMBOLS)
    const fitsOneBit = !nextSymbols.includes(LARGE)
    if (run >= MIN_RUN && (run >= ONE_BIT_SYMBOLS || !fitsOneBit)) {
      writer.writeBits((symbols[offset]! << 13) | run, 16)
      offset += run
    } else if (fitsOneBit) {
      writeVector(writer, nextSymbols, 1)
      offset += ONE_BIT_SYMBOLS
    } else {
      writeVector(writer, nextSymbols.slice(0, TWO_BIT_SYMBOLS), 2)
      offset += TWO_BIT_SYMBOLS
    }
  }
}

function writeVector(writer: BitWriter, symbols: readonly number[], bits: 1 | 2): void {
  writer.writeBits(bits + 1, 2)
  for (const symbol of symbols) writer.writeBits(symbol, bits)
  const capacity = bits === 1 ? ONE_BIT_SYMBOLS : TWO_BIT_SYMBOLS
  writer.writeBits(0, (capacity - symbols.length) * bits)
}

function runLength(symbols: readonly number[], offset: number): number {
  let end = offset + 1
  while (end < symbols.length && symbols[end] === symbols[offset] && end - offset < MAX_RUN) end += 1
  return end - offset
}
