/** Reports that come within this time after a change of layer still describe the former layer. */
const SETTLE_MS = 2000
/** The time for which an estimate is valid; receivers send one every second. */
const ESTIMATE_AGE_MS = 5000
/** The share of lost packets from which repetitions make it worse. */
const HEAVY_LOSS = 0.1
/** The share of packets that radio networks always lose. */
const LIGHT_LOSS = 0.02
/** The number of consecutive bad reports or estimates that a change down takes. */
const BAD_IN_A_ROW = 2
/** An estimate this much below the bitrate sent still suffices: it is never exact. */
const ESTIMATE_SLACK = 0.9
/** A layer surely fits into an estimate that is this much larger. */
const ESTIMATE_MARGIN = 1.2
/** The time without problems before the next higher layer is tried, as estimates do not grow without more media. */
const UP_AFTER_MS = 8000
const UP_AFTER_SURE_MS = 3000
/** A trial that fails within this time doubles the wait for the next. */
const TRIAL_MS = 10_000
const MAX_UP_AFTER_MS = 120_000

/**
 * Chooses the layer of a simulcast for a viewer by its receiver's reports: down by one, or to the layer that fits the estimate, when it
 * loses much or estimates less than it is sent; up by one after a while without either. All times are passed in.
 */
export class LayerChoice {
  #changedMs: number
  #goodSinceMs: number
  #upMs = -Infinity
  #upAfterMs = UP_AFTER_MS
  #lossyReports = 0
  #lowLooks = 0
  #estimateBps = 0
  #estimateMs = -Infinity

  constructor(nowMs: number) {
    this.#changedMs = nowMs
    this.#goodSinceMs = nowMs
  }

  /** Takes the receiver's estimate of its bandwidth, in bits per second. */
  estimate(bitrateBps: number, nowMs: number): void {
    this.#estimateBps = bitrateBps
    this.#estimateMs = nowMs
  }

  /** Takes the share of packets that were lost since the report before, 0–1. */
  loss(fraction: number, nowMs: number): void {
    this.#lossyReports = fraction >= HEAVY_LOSS ? this.#lossyReports + 1 : 0
    if (fraction > LIGHT_LOSS) this.#goodSinceMs = nowMs
  }

  /** The viewer gets another layer from now on. */
  changed(isUp: boolean, nowMs: number): void {
    this.#changedMs = nowMs
    this.#goodSinceMs = nowMs
    this.#upMs = isUp ? nowMs : -Infinity
    this.#lossyReports = 0
    this.#lowLooks = 0
  }

  /**
   * Chooses the layer; called once a second.
   * @param ratesBps the bitrates of the layers, ascending
   * @param current the index of the layer that is sent
   * @returns the index of the layer to send
   */
  next(ratesBps: readonly number[], current: number, nowMs: number): number {
    if (nowMs - this.#changedMs < SETTLE_MS) {
      this.#lossyReports = 0
      return current
    }
    const limitBps = this.#limitBps(nowMs)
    const isLow = limitBps !== undefined && limitBps < ratesBps[current]! * ESTIMATE_SLACK
    this.#lowLooks = isLow ? this.#lowLooks + 1 : 0
    if (isLow) this.#goodSinceMs = nowMs
    if (this.#lossyReports >= BAD_IN_A_ROW || this.#lowLooks >= BAD_IN_A_ROW) {
      return this.#down(ratesBps, current, limitBps, nowMs)
    }
    if (nowMs - this.#upMs >= TRIAL_MS && this.#upMs > -Infinity) this.#upAfterMs = UP_AFTER_MS
    return this.#isUpDue(ratesBps, current, limitBps, nowMs) ? current + 1 : current
  }

  /**
   * Chooses the layer after the one that was sent has stopped: the highest that fits the estimate, and the lowest without one.
   * @param ratesBps the bitrates of the layers, ascending
   * @returns the index of the layer to send
   */
  fitting(ratesBps: readonly number[], nowMs: number): number {
    return highestWithin(ratesBps, this.#limitBps(nowMs) ?? 0)
  }

  #down(ratesBps: readonly number[], current: number, limitBps: number | undefined, nowMs: number): number {
    if (nowMs - this.#upMs < TRIAL_MS) this.#upAfterMs = Math.min(this.#upAfterMs * 2, MAX_UP_AFTER_MS)
    // A trial counts as failed only once.
    this.#upMs = -Infinity
    if (this.#lowLooks < BAD_IN_A_ROW || limitBps === undefined) return Math.max(0, current - 1)
    return highestWithin(ratesBps.slice(0, current), limitBps)
  }

  #limitBps(nowMs: number): number | undefined {
    return nowMs - this.#estimateMs <= ESTIMATE_AGE_MS ? this.#estimateBps : undefined
  }

  #isUpDue(ratesBps: readonly number[], current: number, limitBps: number | undefined, nowMs: number): boolean {
    const nextBps = ratesBps[current + 1]
    if (nextBps === undefined) return false
    const isSure = limitBps !== undefined && limitBps >= nextBps * ESTIMATE_MARGIN
    const goodMs = nowMs - this.#goodSinceMs
    return goodMs >= this.#upAfterMs || (isSure && goodMs >= UP_AFTER_SURE_MS)
  }
}

/** The index of the highest rate that is within a limit; 0 when there is none. */
function highestWithin(ratesBps: readonly number[], limitBps: number): number {
  let index = ratesBps.length - 1
  while (index > 0 && ratesBps[index]! > limitBps) index -= 1
  return Math.max(0, index)
}
