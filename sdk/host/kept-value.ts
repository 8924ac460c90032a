/** What both kinds of database keep alike. */
const KEPT = ['string', 'number', 'bigint', 'boolean']
const NUL = '\0'

/**
 * A parameter of a query as databases take it: booleans are kept as 0 and 1.
 * @throws {TypeError} when it can't be kept
 */
export function keptValue(value: unknown): string | number | bigint | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || (KEPT.includes(typeof value) && !Number.isNaN(value))) {
    if (typeof value === 'string' && value.includes(NUL)) throw new TypeError('text with a NUL can not be kept')
    return value as string | number | bigint | null
  }
  const kind = value instanceof Date ? 'a Date' : `a value of type ${Number.isNaN(value) ? 'NaN' : typeof value}`
  throw new TypeError(
    `${kind} can not be kept: write a number (the milliseconds of a time), text (the JSON of an object) or null`,
  )
}
