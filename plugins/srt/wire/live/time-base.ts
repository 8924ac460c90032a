/** The number of measurements for one correction, which take ten seconds (draft-sharabayko-srt-01 4.7). */
const SAMPLES = 1000
/** The time after which fewer measurements suffice, when little is sent. */
const WINDOW_US = 10_000_000
const MIN_SAMPLES = 10
/** The largest change by one correction. */
const MAX_CORRECTION_US = 5000

/**
 * Converts the peer's clock to this end's: its time stamps have 32 bits of microseconds, which wrap after 71 minutes, and it may run a
 * little faster or slower (draft-sharabayko-srt-01 4.5.1 and 4.7).
 */
export class TimeBase {
  /** This end's clock at the peer's time stamp 0. */
  #startUs: number
  /** The newest time stamp with all its bits. */
  #lastUs: number
  #driftSumUs = 0
  #samples = 0
  #windowUs: number

  /** @param peerStartUs this end's clock at the peer's time stamp 0 */
  constructor(peerStartUs: number, nowUs: number) {
    this.#startUs = peerStartUs
    this.#lastUs = nowUs - peerStartUs
    this.#windowUs = nowUs
  }

  /** The measured drift of the peer's clock since the connection began, in microseconds. */
  correctionUs = 0

  /** The time by this end's clock at which a packet was sent, plus the link's delay. */
  timeOf(timestamp: number): number {
    const stampUs = this.#unwrap(timestamp)
    if (stampUs > this.#lastUs) this.#lastUs = stampUs
    return this.#startUs + stampUs
  }

  /** Takes the time stamp of an answer, and the difference of its delay from that of the first packet. */
  measure(timestamp: number, nowUs: number, longerUs: number): void {
    this.#driftSumUs += nowUs - this.timeOf(timestamp) - longerUs
    this.#samples += 1
    const isOver = nowUs - this.#windowUs >= WINDOW_US && this.#samples >= MIN_SAMPLES
    if (this.#samples < SAMPLES && !isOver) return
    const meanUs = this.#driftSumUs / this.#samples
    const stepUs = Math.max(-MAX_CORRECTION_US, Math.min(MAX_CORRECTION_US, meanUs))
    this.#startUs += stepUs
    this.correctionUs += stepUs
    this.#driftSumUs = 0
    this.#samples = 0
    this.#windowUs = nowUs
  }

  #unwrap(timestamp: number): number {
    // The difference as a signed 32-bit number: packets come out of order, but not by half an hour.
    return this.#lastUs + ((timestamp - this.#lastUs) | 0)
  }
}
