/** The size of a burst without a rate limit: receivers have room for some 200 KB with the default buffers of their system. */
const BURST_BYTES = 64 * 1024
/** The rate without a limit: 100 Mbit/s, or a multiple of the input when that is more. */
const FREE_BYTES_PER_SECOND = 100_000_000 / 8
const FREE_SHARE = 4
/** The time over which a rate limit is kept. */
const BURST_SECONDS = 0.01
const MIN_BURST_BYTES = 3 * 1332
const METER_US = 1_000_000

/** Spreads the packets of large writes into bursts that the link has room for. */
export class Pacer {
  readonly #maxBytesPerSecond: number | undefined
  #allowedBytes: number
  #allowedAtUs: number
  #inputBytes = 0
  #inputAtUs: number
  #inputBytesPerSecond = 0

  /** @param maxBytesPerSecond the limit of packets with their headers; undefined for none */
  constructor(nowUs: number, maxBytesPerSecond: number | undefined) {
    this.#maxBytesPerSecond = maxBytesPerSecond
    this.#allowedAtUs = nowUs
    this.#inputAtUs = nowUs
    this.#allowedBytes = this.#burstBytes
  }

  /** Counts bytes that are to be sent. */
  count(bytes: number, nowUs: number): void {
    this.#inputBytes += bytes
    const elapsedUs = nowUs - this.#inputAtUs
    if (elapsedUs < METER_US) return
    this.#inputBytesPerSecond = (this.#inputBytes / elapsedUs) * 1_000_000
    this.#inputBytes = 0
    this.#inputAtUs = nowUs
  }

  /** Returns true when another packet may leave. */
  allows(nowUs: number): boolean {
    const seconds = Math.max(0, nowUs - this.#allowedAtUs) / 1_000_000
    this.#allowedAtUs = nowUs
    this.#allowedBytes = Math.min(this.#burstBytes, this.#allowedBytes + seconds * this.#bytesPerSecond)
    return this.#allowedBytes > 0
  }

  /** Counts bytes that have left. */
  spend(bytes: number): void {
    this.#allowedBytes -= bytes
  }

  get #bytesPerSecond(): number {
    return this.#maxBytesPerSecond ?? Math.max(FREE_BYTES_PER_SECOND, FREE_SHARE * this.#inputBytesPerSecond)
  }

  get #burstBytes(): number {
    if (this.#maxBytesPerSecond === undefined) return Math.max(BURST_BYTES, this.#bytesPerSecond * BURST_SECONDS)
    return Math.max(MIN_BURST_BYTES, this.#maxBytesPerSecond * BURST_SECONDS)
  }
}
