import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { TooManyLogins } from './login-errors.ts'

const WINDOW_S = 600
/** Logins that may fail within the window, by the client's address; of IPv6, by its network. */
const MAX_BY_ADDRESS = 20
/** The same by the name of the user, from wherever they come. */
const MAX_BY_NAME = 100
/** Addresses, and names, of which is kept account at most; the oldest go first. */
const MAX_KEYS = 10_000
/** Of an IPv6 address: a client has a whole /64 at least. */
const NETWORK_GROUPS = 4

/** Keeps those who guess passwords from going on. */
export class LoginLimits {
  readonly #byAddress = new BoundedLimiter(MAX_BY_ADDRESS)
  readonly #byName = new BoundedLimiter(MAX_BY_NAME)

  /**
   * Counts a login that begins, so that those at the same time count, too.
   * @returns takes it back, for a login that did not fail by its password
   * @throws {TooManyLogins} when there were too many
   */
  async count(ip: string, name: string): Promise<() => Promise<void>> {
    const network = networkOf(ip)
    await this.#byAddress.count(network)
    await this.#byName.count(name)
    return async () => {
      await this.#byAddress.takeBack(network)
      await this.#byName.takeBack(name)
    }
  }
}

/** A limiter that keeps account of so many keys at most. */
class BoundedLimiter {
  readonly #points: number
  #limiter: Promise<RateLimiterMemory> | undefined
  /** The oldest first. */
  readonly #keys = new Set<string>()

  constructor(points: number) {
    this.#points = points
  }

  async count(key: string): Promise<void> {
    this.#keys.delete(key)
    this.#keys.add(key)
    if (this.#keys.size > MAX_KEYS) await this.#forgetOldest()
    const limiter = await this.#whenMade()
    try {
      await limiter.consume(key)
    } catch (refusal) {
      throw isRefusal(refusal) ? new TooManyLogins(refusal.msBeforeNext) : refusal
    }
  }

  async takeBack(key: string): Promise<void> {
    if (this.#keys.has(key)) await (await this.#whenMade()).reward(key)
  }

  async #forgetOldest(): Promise<void> {
    const [oldest = ''] = this.#keys
    this.#keys.delete(oldest)
    await (await this.#whenMade()).delete(oldest)
  }

  /** Most servers never log anybody in. */
  #whenMade(): Promise<RateLimiterMemory> {
    const options = { points: this.#points, duration: WINDOW_S }
    this.#limiter ??= import('rate-limiter-flexible').then(({ RateLimiterMemory }) => new RateLimiterMemory(options))
    return this.#limiter
  }
}

function isRefusal(thrown: unknown): thrown is { readonly msBeforeNext: number } {
  return typeof thrown === 'object' && thrown !== null && 'msBeforeNext' in thrown
}

/** An IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(ip: string): string {
  const [address = ''] = ip.split('%', 1)
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::', 2)
  const groups = head.split(':').filter((group) => group !== '')
  // What "::" leaves out is in the first half, wholly or not at all, unless the tail reaches into it.
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups, ...zeros, ...rest]
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
