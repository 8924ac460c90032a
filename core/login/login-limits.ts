import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { TooManyLogins } from './login-errors.ts'

const WINDOW_S = 600
/** Logins that may fail within the window, by the client's address; of IPv6, by its network. */
const MAX_BY_ADDRESS = 20
/** Logins that may fail within the window, by the user's name, from any address. */
const MAX_BY_NAME = 100
/** The most addresses, and the most names, that are counted; the oldest go first. */
const MAX_KEYS = 10_000
/** The groups of an IPv6 address that are counted as one: a client has a whole /64 at least. */
const NETWORK_GROUPS = 4

/** Limits the failed logins of each address and for each name, against those who guess passwords. */
export class LoginLimits {
  readonly #byAddress = new BoundedLimiter(MAX_BY_ADDRESS)
  readonly #byName = new BoundedLimiter(MAX_BY_NAME)

  /**
   * Counts a login as it begins, so that logins at the same time count, too.
   * @returns a function that takes the count back, for a login that did not fail by its password
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

/** A limiter that counts at most `MAX_KEYS` keys. */
class BoundedLimiter {
  readonly #points: number
  #limiter: Promise<RateLimiterMemory> | undefined
  /** The keys, the oldest first. */
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

  /** Loads the limiter when it is first needed: most servers never log anybody in. */
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
  // The groups that "::" leaves out are in the first half, wholly or not at all, unless the tail reaches into it.
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups, ...zeros, ...rest]
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
