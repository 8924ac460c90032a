import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import { parsePesHeader, PES_MAX_LENGTH, PES_PREFIX_SIZE_BYTES, type PesHeader } from '../pes/header.ts'
import { parsePsStreamMap, PSM_MAX_LENGTH, PSM_PREFIX_SIZE_BYTES, type PsStreamMap } from './stream-map.ts'

/** The most bytes outside packets that are skipped between two packets. */
export const PS_MAX_SKIPPED_BYTES = 1024 * 1024

/** The last byte of start codes (ISO/IEC 13818-1 table 2-22 and 2.5.3). Those of NAL units are below the first. */
const START = {
  end: 0xb9,
  pack: 0xba,
  map: 0xbc,
  privateStream1: 0xbd,
  firstAudio: 0xc0,
  firstVideo: 0xe0,
  lastVideo: 0xef,
  last: 0xff,
} as const
const START_CODE_PREFIX = Buffer.of(0, 0, 1)
const START_CODE_SIZE_BYTES = 4
const PACK_SIZE_BYTES = 14
const MPEG1_PACK_SIZE_BYTES = 12
const STUFFING_MASK = 7
const PES_FLAGS_END_BYTES = 9
const NOTHING: Buffer = Buffer.alloc(0)

/** Takes what is found in a program stream, in its order. */
export interface PsPacketHandler {
  /** A pack begins. @param clock its clock reference of 90 kHz, modulo 2^33; undefined where it is of MPEG-1. */
  pack(clock: number | undefined): void
  map(map: PsStreamMap): void
  /** A PES packet of pictures, sound or private data begins. */
  packet(header: PesHeader): void
  /** Some data of the packet that began last, borrowed. */
  data(bytes: Buffer): void
  /** All data of the packet that began last has come. */
  packetEnd(): void
  /** A packet is left out, as its data is scrambled. */
  scrambled(): void
}

/** The kind of the next bytes: the start of a packet, data of one that has so many bytes left, or data up to the next start code. */
type Place = 'between' | 'data' | 'skipped data' | 'open data'

/**
 * Cuts an MPEG program stream (ISO/IEC 13818-1 2.5.3) into packets, however its bytes come in. It keeps no more than a
 * header that has come in part. It begins at a pack, and goes on at the next start code after bytes that are no packet.
 */
export class PsPacketReader {
  readonly #handler: PsPacketHandler
  /** The start of a packet whose rest has yet to come. */
  #held: Buffer = NOTHING
  #place: Place = 'between'
  #leftBytes = 0
  /** The bytes that are searched for between packets, where none begins at once. */
  #sought: 'pack' | 'any' | undefined = 'pack'
  /** True after a packet of pictures with the largest length: some senders give it to longer ones. */
  #mayGoOn = false
  #skippedInARow = 0
  #skippedBytes = 0

  constructor(handler: PsPacketHandler) {
    this.#handler = handler
  }

  /** The number of bytes outside packets so far. */
  get skippedBytes(): number {
    return this.#skippedBytes
  }

  /** True when a packet ends with the bytes that came last, or goes on until another begins. */
  get isBetween(): boolean {
    return this.#held.length === 0 && (this.#place === 'between' || this.#place === 'open data')
  }

  /** Forgets the packet that has begun: bytes are missing before the next ones. Goes on at the next pack. */
  restart(): void {
    this.#held = NOTHING
    this.#place = 'between'
    this.#leftBytes = 0
    this.#mayGoOn = false
    this.#sought = 'pack'
  }

  /**
   * Reads the next bytes, which are borrowed.
   * @throws {MalformedError} when there was no packet for {@link PS_MAX_SKIPPED_BYTES}; it can go on afterwards.
   */
  push(bytes: Buffer): void {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = NOTHING
    for (let offset = 0; offset < all.length;) offset = this.#step(all, offset)
    if (this.#skippedInARow <= PS_MAX_SKIPPED_BYTES) return
    this.#skippedInARow = 0
    throw new MalformedError(`no packet of a program stream within ${PS_MAX_SKIPPED_BYTES} bytes`)
  }

  /** Reads a part of the bytes, and returns where the rest begins. */
  #step(bytes: Buffer, offset: number): number {
    switch (this.#place) {
      case 'between':
        return this.#sought === undefined ? this.#start(bytes, offset) : this.#seek(bytes, offset)
      case 'open data':
        return this.#openData(bytes, offset)
      default:
        return this.#data(bytes, offset)
    }
  }

  #data(bytes: Buffer, offset: number): number {
    const end = Math.min(bytes.length, offset + this.#leftBytes)
    this.#leftBytes -= end - offset
    const isTaken = this.#place === 'data'
    if (isTaken) this.#handler.data(bytes.subarray(offset, end))
    if (this.#leftBytes === 0) this.#ended(isTaken)
    return end
  }

  #openData(bytes: Buffer, offset: number): number {
    const next = startCodeAfter(bytes, offset, START.end, START.last)
    const end = next < 0 ? bytes.length - cutOffBytes(bytes, offset) : next
    if (end > offset) this.#handler.data(bytes.subarray(offset, end))
    if (next < 0) return this.#hold(bytes, end)
    this.#ended(true)
    return next
  }

  #ended(isTaken: boolean): void {
    this.#place = 'between'
    if (isTaken) this.#handler.packetEnd()
  }

  /** Looks for the next start code, and skips what comes before it. */
  #seek(bytes: Buffer, offset: number): number {
    const found = startCodeAfter(bytes, offset, START.pack, this.#sought === 'pack' ? START.pack : START.lastVideo)
    const end = found < 0 ? bytes.length - cutOffBytes(bytes, offset) : found
    this.#skippedBytes += end - offset
    this.#skippedInARow += end - offset
    if (found < 0) return this.#hold(bytes, end)
    this.#sought = undefined
    return found
  }

  /** Reads the start of a packet. */
  #start(bytes: Buffer, offset: number): number {
    if (bytes.length - offset < START_CODE_SIZE_BYTES) return this.#hold(bytes, offset)
    const code = bytes.readUInt32BE(offset)
    if (code >>> 8 !== 1 || (code & 0xff) < START.end) return this.#stray(offset)
    this.#mayGoOn = false
    const id = code & 0xff
    if (id === START.end) return offset + START_CODE_SIZE_BYTES
    if (id === START.pack) return this.#pack(bytes, offset)
    if (bytes.length - offset < PES_PREFIX_SIZE_BYTES) return this.#hold(bytes, offset)
    if (id === START.map) return this.#map(bytes, offset)
    const isMedia = id === START.privateStream1 || (id >= START.firstAudio && id <= START.lastVideo)
    if (isMedia) return this.#packet(bytes, offset, id)
    return this.#take('skipped data', bytes.readUInt16BE(offset + 4), offset + PES_PREFIX_SIZE_BYTES)
  }

  #pack(bytes: Buffer, offset: number): number {
    if (bytes.length - offset < PACK_SIZE_BYTES) return this.#hold(bytes, offset)
    const marker = bytes[offset + START_CODE_SIZE_BYTES]!
    const isMpeg2 = marker >> 6 === 1
    if (!isMpeg2 && marker >> 4 !== 2) return this.#malformed(offset)
    const stuffingBytes = bytes[offset + PACK_SIZE_BYTES - 1]! & STUFFING_MASK
    const end = offset + (isMpeg2 ? PACK_SIZE_BYTES + stuffingBytes : MPEG1_PACK_SIZE_BYTES)
    if (end > bytes.length) return this.#hold(bytes, offset)
    this.#found()
    this.#handler.pack(isMpeg2 ? readClock(bytes, offset + START_CODE_SIZE_BYTES) : undefined)
    return end
  }

  #map(bytes: Buffer, offset: number): number {
    const length = bytes.readUInt16BE(offset + 4)
    if (length > PSM_MAX_LENGTH) return this.#malformed(offset)
    const end = offset + PSM_PREFIX_SIZE_BYTES + length
    if (end > bytes.length) return this.#hold(bytes, offset)
    const map = tryParse(parsePsStreamMap, bytes.subarray(offset, end))
    if (map?.current === true) this.#handler.map(map)
    return end
  }

  #packet(bytes: Buffer, offset: number, id: number): number {
    const headerEnd = offset + PES_FLAGS_END_BYTES
    if (headerEnd > bytes.length) return this.#hold(bytes, offset)
    const end = headerEnd + bytes[headerEnd - 1]!
    if (end > bytes.length) return this.#hold(bytes, offset)
    const flags = bytes[offset + PES_PREFIX_SIZE_BYTES]!
    const length = bytes.readUInt16BE(offset + 4)
    const sizeBytes = length === 0 ? Infinity : offset + PES_PREFIX_SIZE_BYTES + length - end
    const header = flags >> 6 === 2 ? tryParse(parsePesHeader, bytes.subarray(offset, end)) : undefined
    if (header === undefined || sizeBytes < 0) return this.#malformed(offset)
    this.#found()
    if ((flags & 0x30) !== 0) {
      this.#handler.scrambled()
      return this.#take('skipped data', length === 0 ? 0 : sizeBytes, end)
    }
    this.#handler.packet(header)
    this.#mayGoOn = length === PES_MAX_LENGTH && id >= START.firstVideo
    return this.#take(length === 0 ? 'open data' : 'data', sizeBytes, end)
  }

  /** Goes on with so many bytes of data, which begin at `offset`. */
  #take(place: Place, sizeBytes: number, offset: number): number {
    this.#place = place
    this.#leftBytes = sizeBytes
    if (sizeBytes === 0) this.#ended(place === 'data')
    return offset
  }

  #found(): void {
    this.#skippedInARow = 0
  }

  /** There is no start code where one is expected. */
  #stray(offset: number): number {
    if (!this.#mayGoOn) return this.#malformed(offset)
    this.#mayGoOn = false
    this.#place = 'open data'
    return offset
  }

  #malformed(offset: number): number {
    this.#sought = 'any'
    this.#skippedBytes += 1
    this.#skippedInARow += 1
    return offset + 1
  }

  #hold(bytes: Buffer, offset: number): number {
    this.#held = Buffer.from(bytes.subarray(offset))
    return bytes.length
  }
}

/** Returns where the next start code begins that one of these ids ends; −1 when there is none. */
function startCodeAfter(bytes: Buffer, offset: number, firstId: number, lastId: number): number {
  let at = bytes.indexOf(START_CODE_PREFIX, offset)
  for (; at >= 0; at = bytes.indexOf(START_CODE_PREFIX, at + 1)) {
    const id = bytes[at + 3]
    // The last byte has yet to come.
    if (id === undefined) return -1
    if (id >= firstId && id <= lastId) return at
  }
  return -1
}

/** Returns how many of the last bytes may begin a start code. */
function cutOffBytes(bytes: Buffer, offset: number): number {
  const { length } = bytes
  for (let count = Math.min(START_CODE_PREFIX.length, length - offset); count > 0; count--) {
    if (bytes.compare(START_CODE_PREFIX, 0, count, length - count, length) === 0) return count
  }
  return 0
}

// 01 | bits 32–30 | 1 | bits 29–15 | 1 | bits 14–0 | 1 | extension (9) | 1
function readClock(bytes: Buffer, offset: number): number {
  const high = bytes.readUInt32BE(offset)
  const low = ((high & 0x3ff) << 5) | (bytes[offset + 4]! >> 3)
  return ((high >>> 27) & 7) * 2 ** 30 + ((high >>> 11) & 0x7fff) * 2 ** 15 + low
}
