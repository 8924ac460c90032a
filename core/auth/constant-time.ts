import { timingSafeEqual } from 'node:crypto'

/** Compares two texts in a time that does not tell where they differ. */
export function equalInConstantTime(one: string, other: string): boolean {
  const bytes = Buffer.from(one)
  const otherBytes = Buffer.from(other)
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes)
}
