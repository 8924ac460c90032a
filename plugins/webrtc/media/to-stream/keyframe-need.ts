/** A source is asked for a keyframe of a track no more often. */
const MIN_KEYFRAME_REQUEST_MS = 500

/**
 * When the source of a track is to be asked for a keyframe: as soon as one is needed, again as long as none comes, and by
 * the server itself where the last one is old. Browsers send none unless they are asked.
 */
export class KeyframeNeed {
  readonly #intervalMs: number
  #askedMs = -Infinity
  #keyframeMs: number | undefined
  #isNeeded = false

  /** @param intervalMs how old the last keyframe may get; 0 for any age */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** One is needed: something was lost, somebody has come, or nothing can be made of the media without it. */
  need(): void {
    this.#isNeeded = true
  }

  /** One came. */
  keyframe(nowMs: number): void {
    this.#keyframeMs = nowMs
    this.#isNeeded = false
  }

  /** Whether to ask now, in which case it takes it that the source is asked. */
  due(nowMs: number): boolean {
    const waitMs = this.#isNeeded ? MIN_KEYFRAME_REQUEST_MS : this.#intervalMs
    if ((!this.#isNeeded && !this.#isOld(nowMs)) || nowMs - this.#askedMs < waitMs) return false
    this.#askedMs = nowMs
    return true
  }

  #isOld(nowMs: number): boolean {
    return this.#intervalMs > 0 && this.#keyframeMs !== undefined && nowMs - this.#keyframeMs >= this.#intervalMs
  }
}
