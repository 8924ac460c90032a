import { StreamUnavailable } from 'sluice/sdk'

/** Live media, or a recording of the device. */
export type SsrcKind = 'live' | 'history'

const FIRST_DIGITS: Readonly<Record<SsrcKind, string>> = { live: '0', history: '1' }
const DOMAIN_FROM = 3
const DOMAIN_DIGITS = 5
const COUNT = 10_000
const NUMBER_DIGITS = 4

/**
 * The SSRCs of a domain (GB/T 28181-2022 annex G): ten digits, of which the first tells live media and recordings apart, five are
 * of the domain, and four are no other stream's. One that is given back is the last to be used again.
 */
export class SsrcPool {
  readonly #used: Set<string>
  readonly #domain: string
  #next = Math.floor(Math.random() * COUNT)

  /** @param used those in use, which generations share */
  constructor(realm: string, used: Set<string>) {
    this.#used = used
    const digits = realm.replaceAll(/\D/gu, '')
    this.#domain = digits.slice(DOMAIN_FROM, DOMAIN_FROM + DOMAIN_DIGITS).padEnd(DOMAIN_DIGITS, '0')
  }

  /** The number of those in use, of all generations. */
  get used(): number {
    return this.#used.size
  }

  /** @throws {StreamUnavailable} when all are in use */
  take(kind: SsrcKind): string {
    for (let tries = 0; tries < COUNT; tries++) {
      const ssrc = `${FIRST_DIGITS[kind]}${this.#domain}${String(this.#next).padStart(NUMBER_DIGITS, '0')}`
      this.#next = (this.#next + 1) % COUNT
      // No stream has the SSRC 0, which some devices send by mistake.
      if (this.#used.has(ssrc) || Number(ssrc) === 0) continue
      this.#used.add(ssrc)
      return ssrc
    }
    throw new StreamUnavailable('no SSRC is free')
  }

  /** Gives an SSRC back. Idempotent. */
  release(ssrc: string): void {
    this.#used.delete(ssrc)
  }
}
