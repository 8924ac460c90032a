import type { PluginContext } from 'sluice/sdk'

/** The time between calls of entries that have work under way: acknowledgements are due every 10 ms. */
const TICK_MS = 5
/** The time between calls of idle entries: most players have been sent everything, and wait for the next picture. */
const IDLE_TICK_MS = 20

/** Does the work that is due. Returns true when work is under way, and it is to be called again after {@link TICK_MS}. */
export type Tick = () => boolean

type Entry = { readonly tick: Tick; readonly failed: (error: unknown) => void; isBusy: boolean }

/** Calls all entries with timed work by one timer, which runs while there are any, and no more often than it has to. */
export class Ticker {
  readonly #timers: Pick<PluginContext<unknown>, 'setInterval'>
  readonly #entries = new Set<Entry>()
  #cancel: (() => void) | undefined
  /** 0 while there is no timer. */
  #intervalMs = 0
  /** The time since all entries were called. */
  #elapsedMs = 0

  constructor(timers: Pick<PluginContext<unknown>, 'setInterval'>) {
    this.#timers = timers
  }

  /**
   * @param failed called with the error that `tick` has thrown, after which `tick` is called no more
   * @returns a function that removes the entry. Idempotent.
   */
  add(tick: Tick, failed: (error: unknown) => void): () => void {
    const entry = { tick, failed, isBusy: true }
    this.#entries.add(entry)
    this.#setInterval(TICK_MS)
    return () => {
      this.#remove(entry)
    }
  }

  #run(): void {
    this.#elapsedMs += this.#intervalMs
    const areAllDue = this.#elapsedMs >= IDLE_TICK_MS
    if (areAllDue) this.#elapsedMs = 0
    let isAnyBusy = false
    for (const entry of this.#entries) {
      if (entry.isBusy || areAllDue) this.#call(entry)
      isAnyBusy ||= entry.isBusy
    }
    if (this.#entries.size > 0) this.#setInterval(isAnyBusy ? TICK_MS : IDLE_TICK_MS)
  }

  #call(entry: Entry): void {
    try {
      entry.isBusy = entry.tick()
    } catch (error) {
      entry.isBusy = false
      this.#remove(entry)
      entry.failed(error)
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry)
    if (this.#entries.size === 0) this.#setInterval(0)
  }

  #setInterval(intervalMs: number): void {
    if (intervalMs === this.#intervalMs) return
    this.#cancel?.()
    this.#intervalMs = intervalMs
    this.#cancel = intervalMs === 0 ? undefined : this.#timers.setInterval(() => this.#run(), intervalMs)
  }
}
