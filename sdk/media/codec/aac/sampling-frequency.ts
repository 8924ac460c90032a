import type { BitReader } from '../../bits/bit-reader.ts'
import type { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'

/** Samples a second by samplingFrequencyIndex (ISO/IEC 14496-3 table 1.18). */
export const AAC_SAMPLE_RATES: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
]

const ESCAPE = 15

/** The rate of an index. @throws {MalformedError} for a reserved one. */
export function sampleRateOf(index: number): number {
  const sampleRate = AAC_SAMPLE_RATES[index]
  if (sampleRate === undefined) throw new MalformedError(`samplingFrequencyIndex ${index} is reserved`)
  return sampleRate
}

/** Reads a rate, given by its index or, after the escape, by itself. */
export function readSampleRate(bits: BitReader): number {
  const index = bits.readBits(4)
  if (index !== ESCAPE) return sampleRateOf(index)
  const sampleRate = bits.readBits(24)
  if (sampleRate === 0) throw new MalformedError('sampling frequency of 0')
  return sampleRate
}

export function writeSampleRate(bits: BitWriter, sampleRate: number): void {
  const index = AAC_SAMPLE_RATES.indexOf(sampleRate)
  bits.writeBits(index < 0 ? ESCAPE : index, 4)
  if (index < 0) bits.writeBits(sampleRate, 24)
}
