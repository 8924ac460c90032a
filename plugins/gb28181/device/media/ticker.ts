/** The time between two looks after the media, in milliseconds. */
const INTERVAL_MS = 10

/** One timer for all sessions that send media. */
export class Ticker {
  readonly #members = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined

  /** Calls a function again and again; returns how to end that. */
  add(tick: () => void): () => void {
    this.#members.add(tick)
    this.#timer ??= setInterval(() => this.#tick(), INTERVAL_MS)
    return () => {
      this.#members.delete(tick)
      if (this.#members.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #tick(): void {
    for (const tick of this.#members) tick()
  }
}
