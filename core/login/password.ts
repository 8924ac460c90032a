import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { InvalidRequest } from 'sluice/sdk'
import { TooManyLogins } from './login-errors.ts'

const MIN_PASSWORD_BYTES = 8
const MAX_PASSWORD_BYTES = 1024
/** The least cost that OWASP recommends for argon2id: 19 MiB, two passes, one lane; about 35 ms. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
/** The most hashes at a time: each takes a thread of Node's four, and its memory. */
const MAX_RUNNING = 2
/** The most hashes that wait for one that runs. */
const MAX_WAITING = 32
/** The time after which a client that was refused for the number of waiting hashes may try again. */
const BUSY_MS = 2000

const PHC = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{22,86})$/u

const hashPassword = promisify(argon2)

/** A hash, with the salt and the cost that it was made with. */
type Hash = { readonly cost: Pick<Argon2Parameters, keyof typeof COST>; readonly salt: Buffer; readonly hash: Buffer }

/** A hash that no password matches; to check one against it takes as long as for any user's. */
const NOBODY: Hash = { cost: COST, salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) }

/** @throws {InvalidRequest} when the password is too short or too long */
function checkPassword(password: string): void {
  const bytes = bytesOf(password).length
  if (bytes < MIN_PASSWORD_BYTES || bytes > MAX_PASSWORD_BYTES) {
    throw new InvalidRequest(`a password has ${MIN_PASSWORD_BYTES} to ${MAX_PASSWORD_BYTES} bytes`)
  }
}

/** Hashes passwords by argon2id (RFC 9106), a limited number at a time. */
export class PasswordHashes {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /**
   * @returns a PHC string, with a salt of its own
   * @throws {InvalidRequest} when the password is too short or too long
   * @throws {TooManyLogins} when too many wait
   */
  async make(password: string): Promise<string> {
    checkPassword(password)
    const salt = randomBytes(SALT_BYTES)
    const hash = await this.#run(password, { cost: COST, salt, hash: NOBODY.hash })
    return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${plain(salt)}$${plain(hash)}`
  }

  /**
   * Returns true when a password matches a hash.
   * @param phc the hash as a PHC string; undefined when there is no such user, which takes the same time
   * @throws {TooManyLogins} when too many wait
   */
  async matches(phc: string | undefined, password: string): Promise<boolean> {
    const isPossible = bytesOf(password).length <= MAX_PASSWORD_BYTES
    const known = phc === undefined ? undefined : parse(phc)
    const expected = known ?? NOBODY
    const hash = await this.#run(isPossible ? password : '', expected)
    return timingSafeEqual(hash, expected.hash) && known !== undefined && isPossible
  }

  async #run(password: string, { cost, salt, hash }: Hash): Promise<Buffer> {
    if (this.#running >= MAX_RUNNING) await this.#wait()
    else this.#running += 1
    try {
      return await hashPassword('argon2id', {
        message: bytesOf(password),
        nonce: salt,
        tagLength: hash.length,
        ...cost,
      })
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw new TooManyLogins(BUSY_MS)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    return promise
  }
}

/** The bytes of a password in one spelling, from any keyboard (as OpaqueString of RFC 8265). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFC'))
}

function parse(phc: string): Hash | undefined {
  const match = PHC.exec(phc)
  if (match === null) return undefined
  const [, memory, passes, parallelism, salt = '', hash = ''] = match
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

/** Base64 without padding, as in PHC strings. */
function plain(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/u, '')
}
