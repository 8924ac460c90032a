/** Every 16th packet and the next leave directly one after the other (draft-sharabayko-srt-01 5.1.2 of UDT's packet pairs). */
const PAIR_INTERVAL = 16
const MEASUREMENTS = 16
/** Measurements that differ from the median by more than this factor are left out. */
const OUTLIER_FACTOR = 8

/** Estimates the bandwidth of the link by the intervals at which pairs of packets arrive that left together. */
export class LinkProbe {
  readonly #intervalsUs = new Float64Array(MEASUREMENTS)
  #count = 0
  #pairSequence: number | undefined
  #pairUs = 0
  #packetsPerSecond = 0
  /** The count of measurements at the last estimate. */
  #estimatedCount = 0

  /** @param sequence the number of a packet that came for the first time, and was not sent again */
  count(sequence: number, nowUs: number): void {
    if (sequence % PAIR_INTERVAL === 0) {
      this.#pairSequence = sequence
      this.#pairUs = nowUs
    } else if (this.#pairSequence !== undefined && sequence === this.#pairSequence + 1) {
      this.#intervalsUs[this.#count % MEASUREMENTS] = Math.max(1, nowUs - this.#pairUs)
      this.#count += 1
      this.#pairSequence = undefined
    }
  }

  /** The estimate; 0 until there were enough pairs. */
  get packetsPerSecond(): number {
    if (this.#count >= MEASUREMENTS && this.#count !== this.#estimatedCount) {
      this.#estimatedCount = this.#count
      this.#packetsPerSecond = this.#estimate()
    }
    return this.#packetsPerSecond
  }

  #estimate(): number {
    const sorted = this.#intervalsUs.toSorted()
    const median = sorted[MEASUREMENTS / 2]!
    const near = sorted.filter((us) => us > median / OUTLIER_FACTOR && us < median * OUTLIER_FACTOR)
    const sumUs = near.reduce((sum, us) => sum + us, 0)
    return Math.round((near.length * 1_000_000) / sumUs)
  }
}
