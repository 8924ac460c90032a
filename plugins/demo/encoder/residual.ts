import type { BitWriter } from 'sluice/sdk/media'
import { CHROMA_COEFF_TOKEN, CHROMA_TOTAL_ZEROS, COEFF_TOKEN, RUN_BEFORE, TOTAL_ZEROS } from './cavlc-codes.ts'

/** The level_prefix from which a level is written as escape code. */
const ESCAPE_PREFIX = 15
const ESCAPE_SUFFIX_BITS = 12
const MAX_TRAILING_ONES = 3
const MAX_SUFFIX_LENGTH = 6

/**
 * Writes residual_block_cavlc (ISO/IEC 14496-10 7.3.5.3.2): the levels in scanning order, 16 of luma or 4 of chroma DC.
 * Neighbouring blocks must have no coefficients. Levels must lie within ±2000.
 */
export function writeResidual(writer: BitWriter, levels: readonly number[]): void {
  const isChroma = levels.length === 4
  const places: number[] = []
  const values: number[] = []
  // The order is from the highest frequency down, as in all syntax elements here.
  for (let place = levels.length - 1; place >= 0; place--) {
    const level = levels[place] ?? 0
    if (level === 0) continue
    places.push(place)
    values.push(level)
  }
  const total = values.length
  const ones = countTrailingOnes(values)
  writeCode(writer, (isChroma ? CHROMA_COEFF_TOKEN : COEFF_TOKEN)[total]?.[ones])
  if (total === 0) return
  for (const value of values.slice(0, ones)) writer.writeFlag(value < 0)
  writeLevels(writer, values.slice(ones), total > 10 && ones < MAX_TRAILING_ONES, ones < MAX_TRAILING_ONES)
  const zeros = (places[0] ?? 0) + 1 - total
  if (total < levels.length) writeCode(writer, (isChroma ? CHROMA_TOTAL_ZEROS : TOTAL_ZEROS)[total - 1]?.[zeros])
  writeRuns(writer, places, zeros)
}

function countTrailingOnes(values: readonly number[]): number {
  const other = values.findIndex((value) => Math.abs(value) !== 1)
  return Math.min(other < 0 ? values.length : other, MAX_TRAILING_ONES)
}

function writeLevels(writer: BitWriter, values: readonly number[], isLong: boolean, firstIsLarge: boolean): void {
  let suffixLength = isLong ? 1 : 0
  for (const [index, value] of values.entries()) {
    let code = value > 0 ? 2 * value - 2 : -2 * value - 1
    // The next level after fewer than three trailing ones can't be one.
    if (index === 0 && firstIsLarge) code -= 2
    writeLevel(writer, code, suffixLength)
    if (suffixLength === 0) suffixLength = 1
    if (Math.abs(value) > 3 << (suffixLength - 1) && suffixLength < MAX_SUFFIX_LENGTH) suffixLength++
  }
}

function writeLevel(writer: BitWriter, code: number, suffixLength: number): void {
  // Prefix 14 without a suffix length has a suffix of 4 bits.
  const escape = suffixLength === 0 ? 30 : ESCAPE_PREFIX << suffixLength
  if (code >= escape) {
    writer.writeBits(1, ESCAPE_PREFIX + 1)
    writer.writeBits(code - escape, ESCAPE_SUFFIX_BITS)
  } else if (suffixLength === 0 && code >= 14) {
    writer.writeBits(1, 15)
    writer.writeBits(code - 14, 4)
  } else {
    writer.writeBits(1, (code >> suffixLength) + 1)
    writer.writeBits(code & ((1 << suffixLength) - 1), suffixLength)
  }
}

function writeRuns(writer: BitWriter, places: readonly number[], zeros: number): void {
  let zerosLeft = zeros
  for (const [index, place] of places.entries()) {
    const next = places[index + 1]
    if (zerosLeft === 0 || next === undefined) return
    const run = place - next - 1
    writeCode(writer, RUN_BEFORE[Math.min(zerosLeft, RUN_BEFORE.length) - 1]?.[run])
    zerosLeft -= run
  }
}

function writeCode(writer: BitWriter, code: string | undefined): void {
  if (code === undefined) throw new Error('there is no code word for this block')
  writer.writeBits(Number.parseInt(code, 2), code.length)
}
