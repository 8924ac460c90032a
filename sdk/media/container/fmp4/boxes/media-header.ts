import { fullBox, parseFullBox, type Box } from '../box.ts'
import { timeFields, timeSizeBytes, timeVersion, uint16, uint32 } from './fields.ts'

/** `mdhd` (ISO/IEC 14496-12 8.4.2), as far as media need it. */
export type MediaHeader = {
  /** Ticks a second of the track's times. */
  readonly timescale: number
  /** Three lower-case letters (ISO 639-2/T). */
  readonly language: string
}

/** The bits of each letter; letters are counted from 1. */
const LETTER_BITS = 5
const BEFORE_A = 'a'.charCodeAt(0) - 1

/** @param durationTicks of all samples in its `moov` */
export function serializeMediaHeader({ timescale, language }: MediaHeader, durationTicks = 0): Box {
  const code = Buffer.from(language).reduce((bits, letter) => (bits << LETTER_BITS) | (letter - BEFORE_A), 0)
  const version = timeVersion(durationTicks)
  const [dates, duration] = [timeFields(version, 0, 0), timeFields(version, durationTicks)]
  return fullBox('mdhd', version, 0, [dates, uint32(timescale), duration, uint16(code, 0)])
}

/** @throws {MalformedError} when it ends early. */
export function parseMediaHeader(body: Buffer): MediaHeader {
  const { version, fields } = parseFullBox(body)
  fields.readBytes(2 * timeSizeBytes(version))
  const timescale = fields.readUint(4)
  fields.readBytes(timeSizeBytes(version))
  const code = fields.readUint(2)
  const letters = [code >> (2 * LETTER_BITS), code >> LETTER_BITS, code].map((bits) => (bits & 31) + BEFORE_A)
  return { timescale, language: String.fromCharCode(...letters) }
}
