import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const OWNER_BYTES = 4
const RANDOM_BYTES = 16
/** The length of a seal; to guess one gains nothing but the answer of another generation, which does not know the token. */
const SEAL_BYTES = 7
const SEALED_BYTES = OWNER_BYTES + RANDOM_BYTES
/** The pattern of a token: `~`, which some clients encode, and the 27 bytes, which are 36 characters without padding. */
const TOKEN = /(?:~|%7e)([\w-]{36})/giu

/**
 * Makes and reads the tokens of sessions, which carry the id of the generation that made them. They are sealed, so that only
 * clients of a session can direct requests to a generation that takes no new ones.
 */
export class SessionTokens {
  readonly #key: Buffer

  /** @param key the key of the seals; all processes that have it read each other's tokens */
  constructor(key: Buffer) {
    this.#key = key
  }

  create(owner: number): string {
    const bytes = Buffer.alloc(SEALED_BYTES)
    bytes.writeUInt32BE(owner)
    bytes.set(randomBytes(RANDOM_BYTES), OWNER_BYTES)
    return `~${Buffer.concat([bytes, this.#seal(bytes)]).toString('base64url')}`
  }

  /** The owner of the first token in a path with its query that the key has sealed; undefined where there is none. */
  ownerIn(url: string): number | undefined {
    for (const [, token = ''] of url.matchAll(TOKEN)) {
      const bytes = Buffer.from(token, 'base64url')
      const sealed = bytes.subarray(0, SEALED_BYTES)
      if (timingSafeEqual(bytes.subarray(SEALED_BYTES), this.#seal(sealed))) return bytes.readUInt32BE()
    }
    return undefined
  }

  #seal(bytes: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(bytes).digest().subarray(0, SEAL_BYTES)
  }
}

/** A path as logs may show it: without tokens, which are as good as credentials. */
export function withoutTokens(path: string): string {
  return path.replaceAll(TOKEN, '~…')
}
