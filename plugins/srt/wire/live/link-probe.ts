/** Each 16th packet and the next leave right behind each other (draft-sharabayko-srt-01 5.1.2 of UDT's packet pairs). */
const PAIR_INTERVAL = 16
const MEASUREMENTS = 16
/** What lies further from the median than by this factor is left out. */
const OUTLIER_FACTOR = 8

/** Estimates what the way can carry, by the distance at which pairs of packets arrive that left together. */
export class LinkProbe {
  readonly #intervalsUs = new Float64Array(MEASUREMENTS)
  #count = 0
  #pairSequence: number | undefined
  #pairUs = 0
  #packetsPerSecond = 0
  /** Of how many measurements the estimate is. */
  #estimatedCount = 0

  /** @param sequence of a packet that came for the first time, and was not sent again */
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

  /** 0 until there were some pairs. */
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
