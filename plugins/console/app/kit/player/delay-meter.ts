/** The state of a player and of the server at one moment. All times in milliseconds. */
export type DelaySample = {
  /** The time of the newest media at the server, in the stream's time. */
  readonly newestMs: number
  /** The time that is shown, in the player's time, which begins where it will. */
  readonly shownMs: number
  /** Media that has come and is not shown yet. */
  readonly bufferMs: number
  /** The time that it took to ask the server. */
  readonly roundTripMs: number
}

/**
 * Measures the time from the server to the screen: how far the time that is shown lies behind the newest media of the server.
 * Players count from other beginnings than the server, so the beginning is found by the moment at which media had come the
 * quickest: then, nothing but the way there lay between both, which is taken for half the round trip.
 */
export class DelayMeter {
  /** The stream's time at the player's zero. */
  #zeroMs: number | undefined

  add({ newestMs, shownMs, bufferMs, roundTripMs }: DelaySample): number {
    const wayMs = roundTripMs / 2
    // The answer is as old as its way here.
    const newestNowMs = newestMs + wayMs
    const zeroMs = newestNowMs - wayMs - (shownMs + bufferMs)
    this.#zeroMs = Math.min(this.#zeroMs ?? zeroMs, zeroMs)
    return Math.max(0, newestNowMs - (this.#zeroMs + shownMs))
  }
}
