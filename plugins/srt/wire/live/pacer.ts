/** What leaves at once where no rate was asked for: receivers have room for some 200 KB where their system is left as it is. */
const BURST_BYTES = 64 * 1024
/** Without a rate, 100 Mbit/s, or a multiple of what comes in where that is more. */
const FREE_BYTES_PER_SECOND = 100_000_000 / 8
const FREE_SHARE = 4
/** A rate that was asked for is kept over this time. */
const BURST_SECONDS = 0.01
const MIN_BURST_BYTES = 3 * 1332
const METER_US = 1_000_000

/** Says when how much may be sent, so that what comes at once leaves in bursts that the way has room for. */
export class Pacer {
  readonly #maxBytesPerSecond: number | undefined
  #allowedBytes: number
  #allowedAtUs: number
  #inputBytes = 0
  #inputAtUs: number
  #inputBytesPerSecond = 0

  /** @param maxBytesPerSecond of packets with their headers; undefined where nothing was asked for */
  constructor(nowUs: number, maxBytesPerSecond: number | undefined) {
    this.#maxBytesPerSecond = maxBytesPerSecond
    this.#allowedAtUs = nowUs
    this.#inputAtUs = nowUs
    this.#allowedBytes = this.#burstBytes
  }

  /** Counts what is to be sent. */
  count(bytes: number, nowUs: number): void {
    this.#inputBytes += bytes
    const elapsedUs = nowUs - this.#inputAtUs
    if (elapsedUs < METER_US) return
    this.#inputBytesPerSecond = (this.#inputBytes / elapsedUs) * 1_000_000
    this.#inputBytes = 0
    this.#inputAtUs = nowUs
  }

  /** Whether another packet may leave. */
  allows(nowUs: number): boolean {
    const seconds = Math.max(0, nowUs - this.#allowedAtUs) / 1_000_000
    this.#allowedAtUs = nowUs
    this.#allowedBytes = Math.min(this.#burstBytes, this.#allowedBytes + seconds * this.#bytesPerSecond)
    return this.#allowedBytes > 0
  }

  /** Takes what has left. */
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
