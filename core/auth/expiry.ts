/** Seconds are counted in signed 64 bits: a time past this one is a mistake, not far in the future. */
const LAST_SECOND = 2n ** 63n - 1n
/** Leading zeros count too. */
const MAX_LENGTH = 64

const DIGITS = { decimal: /^\d+$/u, hexadecimal: /^[0-9a-f]+$/iu }
const PREFIX = { decimal: '', hexadecimal: '0x' }

/** A time in Unix seconds, written without sign, prefix or fraction; undefined when it is not. */
export function parseExpiry(text: string, base: 'decimal' | 'hexadecimal'): number | undefined {
  if (text.length > MAX_LENGTH || !DIGITS[base].test(text)) return undefined
  const seconds = BigInt(`${PREFIX[base]}${text}`)
  return seconds <= LAST_SECOND ? Number(seconds) : undefined
}
