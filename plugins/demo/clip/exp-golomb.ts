import type { BitWriter } from 'sluice/sdk/media'

/** Writes ue(v), ISO/IEC 14496-10 9.1. */
export function writeUe(writer: BitWriter, value: number): void {
  const bits = 32 - Math.clz32(value + 1)
  writer.writeBits(0, bits - 1)
  writer.writeBits(value + 1, bits)
}

/** Writes se(v), ISO/IEC 14496-10 9.1.1. */
export function writeSe(writer: BitWriter, value: number): void {
  writeUe(writer, value > 0 ? 2 * value - 1 : -2 * value)
}
