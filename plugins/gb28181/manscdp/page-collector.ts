/** The longest wait for the first message of an answer, and between two of them. */
export const FIRST_PAGE_MS = 120_000
export const QUIET_MS = 10_000
/** The wait for others after the last item that was announced: some devices announce those of one message alone. */
export const SETTLE_MS = 500
/** The most items of an answer (annex M of GB/T 28181-2022). */
export const MAX_ITEMS = 10_000

/** One message of an answer. */
export type Page<Item> = { readonly sumNum: number | undefined; readonly items: readonly Item[] }

export type PageCollectorInit<Item> = {
  /** Items of the same key are one: devices send some twice. */
  readonly keyOf: (item: Item) => string
  /** The time of the question. */
  readonly startMs: number
}

/**
 * Puts an answer together that comes in several messages. It ends with the number of items that was announced, or when nothing comes
 * any more, as the number may be wrong. Times are milliseconds of any one clock.
 */
export class PageCollector<Item> {
  readonly #keyOf: (item: Item) => string
  readonly #items = new Map<string, Item>()
  #announced: number | undefined
  #endsAtMs: number

  constructor({ keyOf, startMs }: PageCollectorInit<Item>) {
    this.#keyOf = keyOf
    this.#endsAtMs = startMs + FIRST_PAGE_MS
  }

  /** The items that have come, without those that came again. */
  get received(): number {
    return this.#items.size
  }

  /** The largest number that was announced; undefined before. */
  get total(): number | undefined {
    return this.#announced
  }

  get items(): readonly Item[] {
    return [...this.#items.values()]
  }

  /** True when all that was announced has come. Without an announcement, nobody knows. */
  get isComplete(): boolean {
    return this.#announced !== undefined && this.received >= this.#announced
  }

  /** The time at which it ends, unless another message comes. */
  get endsAtMs(): number {
    return this.#endsAtMs
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.#endsAtMs
  }

  /** Takes over the items of a message; when it is over, they are left out. */
  push({ sumNum, items }: Page<Item>, nowMs: number): void {
    if (this.isOver(nowMs)) return
    for (const item of items) {
      const key = this.#keyOf(item)
      if (this.received < MAX_ITEMS || this.#items.has(key)) this.#items.set(key, item)
    }
    if (sumNum !== undefined && sumNum >= 0) this.#announced = Math.max(sumNum, this.#announced ?? 0)
    this.#endsAtMs = nowMs + this.#pauseMs()
  }

  #pauseMs(): number {
    if (this.#announced === 0 && this.received === 0) return 0
    if (this.received >= MAX_ITEMS) return 0
    return this.received === this.#announced ? SETTLE_MS : QUIET_MS
  }
}
