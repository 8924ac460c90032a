import { createHash } from 'node:crypto'
import { equalInConstantTime } from './constant-time.ts'
import { parseExpiry } from './expiry.ts'

/** Length of a signature in characters (spec.md, Limits). */
const SIGNATURE_LENGTH = 32

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

/** What is wrong with a signature (for the log), or undefined when nothing is. */
export function signatureFault({ key, streamPath, secret, expire, nowSeconds }: SignatureCheck): string | undefined {
  if (secret === undefined || expire === undefined) return 'it or its expiry is missing'
  const expiry = parseExpiry(expire, 'hexadecimal')
  if (expiry === undefined) return 'its expiry is not a hexadecimal time'
  if (nowSeconds > expiry) return 'it has expired'
  if (secret.length !== SIGNATURE_LENGTH) return `it does not have ${SIGNATURE_LENGTH} characters`
  return equalInConstantTime(secret.toLowerCase(), sign(key, streamPath, expire)) ? undefined : 'it is wrong'
}
