import { InvalidRequest } from '../errors/stream-errors.ts'

/** The types of parameters that both kinds of database keep alike. */
const KEPT = ['string', 'number', 'bigint', 'boolean']
const NUL = '\0'

/**
 * A parameter of a query as databases take it: booleans are kept as 0 and 1.
 * @throws {TypeError} for what databases have no type for
 * @throws {InvalidRequest} for text with a NUL
 */
export function keptValue(value: unknown): string | number | bigint | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || (KEPT.includes(typeof value) && !Number.isNaN(value))) {
    if (typeof value === 'string') assertKept(value)
    return value as string | number | bigint | null
  }
  const kind = value instanceof Date ? 'a Date' : `a value of type ${Number.isNaN(value) ? 'NaN' : typeof value}`
  throw new TypeError(
    `${kind} can not be kept: write a number (the milliseconds of a time), text (the JSON of an object) or null`,
  )
}

/** @throws {InvalidRequest} for text with a NUL, which PostgreSQL does not keep, and clients may send */
export function assertKept(text: string): void {
  if (text.includes(NUL)) throw new InvalidRequest('text with a NUL can not be kept')
}
