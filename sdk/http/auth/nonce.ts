import { createHmac } from 'node:crypto'
import { equalInConstantTime } from './constant-time.ts'

/** The lifetime of a nonce; a client that comes later is given a new one, and needs not ask its user again. */
export const NONCE_LIFETIME_MS = 5 * 60 * 1000

const TIME_LENGTH = 12
const SIGNATURE_LENGTH = 32

/**
 * Makes a nonce that proves by itself its time and its maker.
 * @param key secret; of the server, or of one connection, where nonces shall not hold on others
 * @param random 8 bytes or more
 */
export function createNonce(key: Buffer, nowMs: number, random: Buffer): string {
  const text = `${nowMs.toString(16).padStart(TIME_LENGTH, '0')}${random.toString('hex')}`
  return `${text}${sign(key, text)}`
}

/** Returns true when the nonce was made with the key, at most {@link NONCE_LIFETIME_MS} ago. */
export function isFreshNonce(nonce: string, key: Buffer, nowMs: number): boolean {
  const text = nonce.slice(0, -SIGNATURE_LENGTH)
  const ageMs = nowMs - Number.parseInt(text.slice(0, TIME_LENGTH), 16)
  return equalInConstantTime(nonce, `${text}${sign(key, text)}`) && ageMs >= 0 && ageMs <= NONCE_LIFETIME_MS
}

function sign(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, SIGNATURE_LENGTH)
}
