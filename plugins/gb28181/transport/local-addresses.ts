import type { Net } from 'sluice/sdk'

/** Addresses that are kept, and for how long: routes change seldom. */
const MAX_ADDRESSES = 10_000
const LIFETIME_MS = 60_000

/** Finds the addresses by which peers reach this machine. */
export class LocalAddresses {
  readonly #net: Pick<Net, 'addressToward'>
  readonly #known = new Map<string, { readonly address: string; readonly sinceMs: number }>()

  constructor(net: Pick<Net, 'addressToward'>) {
    this.#net = net
  }

  /** Returns the address toward a peer, at once where it is known; undefined where there is no way to it. */
  toward(ip: string): string | undefined | Promise<string | undefined> {
    const known = this.#known.get(ip)
    if (known !== undefined && performance.now() - known.sinceMs < LIFETIME_MS) return known.address
    return this.#ask(ip)
  }

  async #ask(ip: string): Promise<string | undefined> {
    try {
      const address = await this.#net.addressToward(ip)
      this.#known.delete(ip)
      this.#known.set(ip, { address, sinceMs: performance.now() })
      const [oldest] = this.#known.keys()
      if (this.#known.size > MAX_ADDRESSES && oldest !== undefined) this.#known.delete(oldest)
      return address
    } catch {
      // A peer that can't be reached gets no answer.
      return undefined
    }
  }
}
