import { modulo, PES_CLOCK_RANGE } from '../pes/clock.ts'

/** ISO/IEC 13818-1 2.4.3.2. */
export const TS_PACKET_SIZE_BYTES = 188
export const TS_SYNC_BYTE = 0x47
export const TS_MAX_PID = 0x1fff
/** The PID of packets that only fill up a constant bitrate. */
export const TS_NULL_PID = 0x1fff
export const TS_PAT_PID = 0

const HEADER_SIZE_BYTES = 4
/** The room for a payload in a packet without an adaptation field. */
export const TS_PAYLOAD_SIZE_BYTES = TS_PACKET_SIZE_BYTES - HEADER_SIZE_BYTES
const HAS_PAYLOAD = 0x10
const HAS_ADAPTATION_FIELD = 0x20
const DISCONTINUITY = 0x80
const RANDOM_ACCESS = 0x40
const HAS_PCR = 0x10
/** Size of the length and flags of an adaptation field. */
const FLAGS_SIZE_BYTES = 2
const PCR_SIZE_BYTES = 6

/**
 * One packet (2.4.3.2):
 *
 *     sync byte (8) | transport error (1) | payload unit start (1) | priority (1) | PID (13) | scrambling (2)
 *     | adaptation field control (2) | continuity counter (4) | adaptation field | payload
 */
export type TsPacket = {
  readonly pid: number
  /** A PES packet, or a section's pointer, begins with the payload. */
  readonly unitStart: boolean
  readonly continuityCounter: number
  readonly transportError: boolean
  readonly scrambled: boolean
  /** The continuity counter, and maybe the clock, starts anew here on purpose. */
  readonly discontinuity: boolean
  /** The clock reference in ticks of 90 kHz; undefined in most packets. */
  readonly pcr: number | undefined
  readonly hasPayload: boolean
  /** A view; empty also when the adaptation field says that it is longer than the packet. */
  readonly payload: Buffer
}

/** Parses the 188 bytes at `offset`, which must be there. The sync byte is not looked at. */
export function parseTsPacket(bytes: Buffer, offset: number): TsPacket {
  const pidField = bytes.readUInt16BE(offset + 1)
  const control = bytes[offset + 3]!
  const adaptation = (control & HAS_ADAPTATION_FIELD) !== 0
  const adaptationSizeBytes = adaptation ? 1 + bytes[offset + HEADER_SIZE_BYTES]! : 0
  const end = offset + TS_PACKET_SIZE_BYTES
  const start = Math.min(offset + HEADER_SIZE_BYTES + adaptationSizeBytes, end)
  const hasPayload = (control & HAS_PAYLOAD) !== 0
  const flags = adaptationSizeBytes > 1 ? bytes[offset + HEADER_SIZE_BYTES + 1]! : 0
  const hasPcr = (flags & HAS_PCR) !== 0 && adaptationSizeBytes >= FLAGS_SIZE_BYTES + PCR_SIZE_BYTES
  return {
    pid: pidField & TS_MAX_PID,
    unitStart: (pidField & 0x4000) !== 0,
    continuityCounter: control & 15,
    transportError: (pidField & 0x8000) !== 0,
    scrambled: control >> 6 !== 0,
    discontinuity: (flags & DISCONTINUITY) !== 0,
    pcr: hasPcr ? readPcr(bytes, offset + HEADER_SIZE_BYTES + FLAGS_SIZE_BYTES) : undefined,
    hasPayload,
    payload: bytes.subarray(hasPayload ? start : end, end),
  }
}

/** The header fields of the packets that carry one unit. */
export type TsUnitPackets = {
  readonly pid: number
  /** The counter of the first packet. */
  readonly continuityCounter: number
  readonly randomAccess: boolean
  /** The clock reference in ticks of 90 kHz, taken modulo 2^33. */
  readonly pcr?: number | undefined
}

/** Returns the number of packets that {@link writeTsPackets} makes of a number of bytes. */
export function tsPacketCount(unit: TsUnitPackets, sizeBytes: number): number {
  const first = TS_PAYLOAD_SIZE_BYTES - adaptationSize(unit)
  return 1 + Math.max(0, Math.ceil((sizeBytes - first) / TS_PAYLOAD_SIZE_BYTES))
}

/**
 * Cuts the pieces, which follow each other, into packets; the last one is filled up by its adaptation field.
 * @returns the offset after them.
 */
export function writeTsPackets(
  out: Buffer,
  offset: number,
  unit: TsUnitPackets,
  pieces: readonly Buffer[],
  sizeBytes: number,
): number {
  let position = offset
  let left = sizeBytes
  let counter = unit.continuityCounter
  let pieceIndex = 0
  let pieceOffset = 0
  for (let first = true; first || left > 0; first = false) {
    const adaptation = first ? adaptationSize(unit) : 0
    const room = Math.min(TS_PAYLOAD_SIZE_BYTES - adaptation, left)
    const stuffed = TS_PAYLOAD_SIZE_BYTES - room
    const control = HAS_PAYLOAD | (stuffed > 0 ? HAS_ADAPTATION_FIELD : 0)
    position = writeHeader(out, position, (first ? 0x4000 : 0) | unit.pid, control | (counter & 15))
    if (stuffed > 0) position = writeAdaptationField(out, position, stuffed, first ? unit : undefined)
    for (let rest = room; rest > 0;) {
      const piece = pieces[pieceIndex]!
      const copied = piece.copy(out, position, pieceOffset, Math.min(piece.length, pieceOffset + rest))
      position += copied
      pieceOffset += copied
      rest -= copied
      if (pieceOffset === piece.length) {
        pieceIndex += 1
        pieceOffset = 0
      }
    }
    counter += 1
    left -= room
  }
  return position
}

/** Writes a packet that has a clock reference and no payload, for which the counter stays as it was. */
export function writePcrPacket(out: Buffer, offset: number, unit: TsUnitPackets): number {
  const position = writeHeader(out, offset, unit.pid, HAS_ADAPTATION_FIELD | (unit.continuityCounter & 15))
  return writeAdaptationField(out, position, TS_PAYLOAD_SIZE_BYTES, unit)
}

/** Serializes a packet without payload after which the counter of a PID goes on with `nextCounter`, whatever it was (2.4.3.4). */
export function serializeTsDiscontinuity(pid: number, nextCounter: number): Buffer {
  const packet = Buffer.alloc(TS_PACKET_SIZE_BYTES, 0xff)
  const position = writeHeader(packet, 0, pid, HAS_ADAPTATION_FIELD | ((nextCounter + 15) & 15))
  packet[position] = TS_PAYLOAD_SIZE_BYTES - 1
  packet[position + 1] = DISCONTINUITY
  return packet
}

function adaptationSize({ pcr, randomAccess }: TsUnitPackets): number {
  if (pcr !== undefined) return FLAGS_SIZE_BYTES + PCR_SIZE_BYTES
  return randomAccess ? FLAGS_SIZE_BYTES : 0
}

function writeHeader(out: Buffer, offset: number, pidField: number, control: number): number {
  out[offset] = TS_SYNC_BYTE
  out[offset + 1] = pidField >> 8
  out[offset + 2] = pidField & 0xff
  out[offset + 3] = control
  return offset + HEADER_SIZE_BYTES
}

/** Writes a field of exactly `sizeBytes`; a field of one byte is a length of 0 (2.4.3.4). */
function writeAdaptationField(out: Buffer, offset: number, sizeBytes: number, unit: TsUnitPackets | undefined): number {
  const end = offset + sizeBytes
  out[offset] = sizeBytes - 1
  if (sizeBytes === 1) return end
  const pcr = unit?.pcr
  out[offset + 1] = (unit?.randomAccess ? RANDOM_ACCESS : 0) | (pcr === undefined ? 0 : HAS_PCR)
  let position = offset + FLAGS_SIZE_BYTES
  if (pcr !== undefined) position = writePcr(out, position, modulo(pcr, PES_CLOCK_RANGE))
  out.fill(0xff, position, end)
  return end
}

function readPcr(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 + (bytes[offset + 4]! >> 7)
}

// base (33) | reserved, ones (6) | extension in ticks of 27 MHz (9), always 0 here
function writePcr(out: Buffer, offset: number, base: number): number {
  out.writeUInt32BE(Math.floor(base / 2), offset)
  out[offset + 4] = ((base % 2) << 7) | 0x7e
  out[offset + 5] = 0
  return offset + PCR_SIZE_BYTES
}
