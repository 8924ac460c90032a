/** So many measurements make one correction, which is ten seconds of them (draft-sharabayko-srt-01 4.7) */
const SAMPLES = 1000
/** or as many as there are after that time, where little is sent. */
const WINDOW_US = 10_000_000
const MIN_SAMPLES = 10
/** What one correction moves at most. */
const MAX_CORRECTION_US = 5000

/**
 * The peer's clock as this end's shows it: its time stamps have 32 bits of microseconds, which are over after 71 minutes, and
 * it may go a little faster or slower (draft-sharabayko-srt-01 4.5.1 and 4.7).
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

  /** How far the peer's clock was found to lie off since the connection began. */
  correctionUs = 0

  /** When, by this end's clock, a packet was sent; the way it took is in it. */
  timeOf(timestamp: number): number {
    const stampUs = this.#unwrap(timestamp)
    if (stampUs > this.#lastUs) this.#lastUs = stampUs
    return this.#startUs + stampUs
  }

  /** Takes the time stamp of an answer, and by how much its way was longer than that of the first packet. */
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
    // The difference as 32 bits with a sign: packets come out of order, but not by half an hour.
    return this.#lastUs + ((timestamp - this.#lastUs) | 0)
  }
}
