import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const TOKEN_BYTES = 24
const LIFETIME_MS = 3_600_000

/** The one-time token by which a person who reads the log becomes the first admin. Only its hash is kept, in this process. */
export class SetupToken {
  #hash: Buffer | undefined
  #expiresMs = 0

  /** Makes a new token, which is valid for an hour; the one before is no longer valid. */
  make(): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    this.#hash = hashOf(token)
    this.#expiresMs = performance.now() + LIFETIME_MS
    return token
  }

  /** Returns true once for the token, and false for any other text. */
  take(text: string): boolean {
    if (this.#hash === undefined || performance.now() >= this.#expiresMs) return false
    if (!timingSafeEqual(this.#hash, hashOf(text))) return false
    this.#hash = undefined
    return true
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
