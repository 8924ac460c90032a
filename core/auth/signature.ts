import { createHash, timingSafeEqual } from 'node:crypto'

/** The length of a signature in characters (spec.md, Limits). */
const SIGNATURE_LENGTH = 32
/** The last time in Unix seconds, which are counted in signed 64 bits; a later one is a mistake, not far in the future. */
const LAST_SECOND = 2n ** 63n - 1n
/** The longest text of a time, leading zeros included. */
const MAX_EXPIRY_LENGTH = 64

const DIGITS = { decimal: /^\d+$/u, hexadecimal: /^[0-9a-f]+$/iu }
const PREFIX = { decimal: '', hexadecimal: '0x' }

/** `md5(key + streamPath + expireHex)` in lower-case hex, over the expiry's text as sent (spec.md, Built-in signature auth). */
export function sign(key: string, streamPath: string, expireHex: string): string {
  return createHash('md5').update(`${key}${streamPath}${expireHex}`).digest('hex')
}

export type SignatureCheck = {
  readonly key: string
  readonly streamPath: string
  readonly secret: string | undefined
  readonly expire: string | undefined
  readonly nowSeconds: number
}

/** Returns the fault of a signature (for the log), or undefined when it is valid. */
export function signatureFault({ key, streamPath, secret, expire, nowSeconds }: SignatureCheck): string | undefined {
  if (secret === undefined || expire === undefined) return 'it or its expiry is missing'
  const expiry = parseExpiry(expire, 'hexadecimal')
  if (expiry === undefined) return 'its expiry is not a hexadecimal time'
  if (nowSeconds > expiry) return 'it has expired'
  if (secret.length !== SIGNATURE_LENGTH) return `it does not have ${SIGNATURE_LENGTH} characters`
  return equalInConstantTime(secret.toLowerCase(), sign(key, streamPath, expire)) ? undefined : 'it is wrong'
}

/** Parses a time in Unix seconds, written without sign, prefix or fraction; returns undefined for another text. */
export function parseExpiry(text: string, base: 'decimal' | 'hexadecimal'): number | undefined {
  if (text.length > MAX_EXPIRY_LENGTH || !DIGITS[base].test(text)) return undefined
  const seconds = BigInt(`${PREFIX[base]}${text}`)
  return seconds <= LAST_SECOND ? Number(seconds) : undefined
}

/** Compares two texts in a time that does not depend on the place where they differ. */
export function equalInConstantTime(one: string, other: string): boolean {
  const bytes = Buffer.from(one)
  const otherBytes = Buffer.from(other)
  return bytes.length === otherBytes.length && timingSafeEqual(bytes, otherBytes)
}
