const BOOLEAN = 16
/** The object ids of the number types: int8, int2, int4, oid, float4, float8, numeric. */
const NUMBERS: readonly number[] = [20, 21, 23, 26, 700, 701, 1700]

/** Reads values in the form of SQLite: numbers as such, booleans as 0 and 1, and the rest as text. */
export const postgresValues = {
  getTypeParser: (type: number) => {
    if (type === BOOLEAN) return (text: string) => (text === 't' ? 1 : 0)
    return NUMBERS.includes(type) ? parseNumber : (text: string) => text
  },
}

function parseNumber(text: string): number {
  const value = Number(text)
  if (/^-?\d+$/u.test(text) && !Number.isSafeInteger(value)) {
    throw new RangeError('a whole number past 2^53 can not be read')
  }
  return value
}
