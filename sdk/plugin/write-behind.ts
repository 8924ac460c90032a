import type { Logger } from 'pino'
import { StoreUnavailable } from '../errors/store-errors.ts'
import type { Database } from './database.ts'
import { LogLimit } from './log-limit.ts'

/** The wait after a first failure; each further one in a row doubles it. */
const FIRST_RETRY_MS = 1000
/** The longest wait, when the database does not say that it is back. */
const MAX_RETRY_MS = 30_000
/** The least time between two lines about lost items. */
const LOG_INTERVAL_MS = 60_000

/** The options of a {@link WriteBehind}: its writes, and its bounds. */
export type WriteBehindOptions<Item> = {
  readonly log: Logger
  readonly database: Pick<Database, 'onAvailable'>
  /**
   * Writes items, those that were added first in front. One that was added again since is among them once. After a rejection
   * with {@link StoreUnavailable} the batch is tried again; any other one loses it, so that items which no table takes hold
   * up none that follow.
   */
  readonly write: (batch: readonly Item[]) => Promise<void>
  /** The text of the log when items are lost, such as `events were not stored`. */
  readonly loss: string
  /** Most items that wait; with one more, the oldest is lost. Default 10,000. */
  readonly maxWaiting?: number
  /** Most items of a batch. Default 200. */
  readonly batchSize?: number
  /** The time from the first item to its write, in milliseconds, in which further items are gathered. Default 0: it is written at once. */
  readonly gatherMs?: number
  /** The clock for its waits; `setTimeout` returns the function that cancels it. Default the process's own. */
  readonly clock?: { setTimeout(callback: () => void, delayMs: number): () => void }
}

/**
 * Rows that are written when the database takes them, while the work that makes them goes on: kept in memory while it is
 * away, up to a bound, and written in batches, one after another. A batch that failed is tried again after a second, then
 * after twice as long, up to 30 s, and at once when the database is back.
 *
 * ```ts
 * const rows = new WriteBehind<Visit>({
 *   log: ctx.log,
 *   database: ctx.database,
 *   loss: 'visits were not stored',
 *   async write(visits) {
 *     await db.insertInto('visits_visit').values(visits.map(rowOf)).execute()
 *   },
 * })
 * ctx.hooks.on('subscribed', (subscriber) => rows.add(visitOf(subscriber)))
 * ctx.onDispose(async () => void (await rows.close(900)))
 * ```
 */
export class WriteBehind<Item> {
  readonly #options: WriteBehindOptions<Item>
  /** The items that are in no batch, the oldest first. */
  #waiting = new Set<Item>()
  /** The items that are being written. */
  #batch = new Set<Item>()
  readonly #left = new Map<Item, PromiseWithResolvers<void>>()
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  readonly #forgetDatabase: () => void
  #cancelTimer: (() => void) | undefined
  /** Settles when the latest writing has ended. */
  #written: Promise<void> = Promise.resolve()
  #isWriting = false
  /** The number of failed writes in a row. */
  #failures = 0
  #lost = 0
  #closed = false

  constructor(options: WriteBehindOptions<Item>) {
    this.#options = options
    this.#forgetDatabase = options.database.onAvailable(() => this.#flush())
  }

  /** The number of items that are not written yet. */
  get waiting(): number {
    return this.#batch.size + this.#waiting.size
  }

  /** The number of lost items: beyond the bound, or refused by the database. */
  get lost(): number {
    return this.#lost
  }

  /**
   * Adds an item to be written. One that is being written is written once more, as it may have changed since; one that waits
   * already keeps its place. Nothing happens once this is closed.
   */
  add(item: Item): void {
    if (this.#closed) return
    const { maxWaiting = 10_000, gatherMs = 0 } = this.#options
    this.#waiting.add(item)
    const [oldest] = this.#waiting
    if (this.waiting > maxWaiting && oldest !== undefined) {
      this.#waiting.delete(oldest)
      this.#lose([oldest])
    }
    if (gatherMs > 0) this.#schedule(gatherMs)
    else if (this.#failures === 0) this.#flush()
  }

  /** Returns true while an item, as it was added last, is not written. */
  has(item: Item): boolean {
    return this.#waiting.has(item) || this.#batch.has(item)
  }

  /** Takes out an item, which is not written any more. A write that has begun goes on, without another try. */
  remove(item: Item): void {
    this.#waiting.delete(item)
    this.#batch.delete(item)
    this.#leave(item)
  }

  /** Resolves when an item waits no more, as it was written, lost or removed; at once for one that does not wait. Never rejects. */
  stored(item: Item): Promise<void> {
    if (!this.has(item)) return Promise.resolve()
    const left = this.#left.get(item) ?? Promise.withResolvers<void>()
    this.#left.set(item, left)
    return left.promise
  }

  /** Writes items that are still gathered, and resolves when none waits, or those that do wait for the database. Never rejects. */
  async settled(): Promise<void> {
    if (this.#failures === 0) this.#flush()
    await this.#written
  }

  /**
   * Writes the items that wait, with one more try where that has failed before, and takes no further ones. Idempotent.
   * @param timeoutMs the time that it may take
   * @returns the items that were not written by then, the oldest first. The caller logs or keeps them, and decides whether
   *   they are lost. A write that was under way at the end may still be done; its items are among them
   */
  async close(timeoutMs: number): Promise<Item[]> {
    this.#closed = true
    this.#forgetDatabase()
    this.#flush()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancel = (this.#options.clock ?? SYSTEM_CLOCK).setTimeout(resolve, timeoutMs)
    await Promise.race([this.#written, late])
    cancel()
    const unwritten = [...new Set([...this.#batch, ...this.#waiting])]
    this.#batch.clear()
    this.#waiting.clear()
    for (const item of unwritten) this.#leave(item)
    return unwritten
  }

  #flush(): void {
    if (!this.#isWriting) this.#written = this.#work()
  }

  async #work(): Promise<void> {
    this.#isWriting = true
    this.#stopTimer()
    while (this.#waiting.size > 0 && (await this.#write()));
    this.#isWriting = false
    if (this.#failures === 0) return
    this.#stopTimer()
    this.#schedule(Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), MAX_RETRY_MS))
  }

  /** Writes a batch. @returns false while the database takes none */
  async #write(): Promise<boolean> {
    const { write, batchSize = 200 } = this.#options
    this.#batch = new Set(this.#waiting.values().take(batchSize))
    for (const item of this.#batch) this.#waiting.delete(item)
    let failures = 0
    try {
      await write([...this.#batch])
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        failures = this.#failures + 1
        this.#waiting = new Set([...this.#batch, ...this.#waiting])
      } else
        this.#lose(
          [...this.#batch].filter((item) => !this.#waiting.has(item)),
          error,
        )
    }
    this.#failures = failures
    for (const item of this.#batch) if (!this.#waiting.has(item)) this.#leave(item)
    this.#batch.clear()
    return failures === 0
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return
    this.#cancelTimer ??= (this.#options.clock ?? SYSTEM_CLOCK).setTimeout(() => this.#flush(), delayMs)
  }

  #stopTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #lose(items: readonly Item[], err?: unknown): void {
    const { log, loss } = this.#options
    for (const item of items) this.#leave(item)
    this.#lost += items.length
    if (items.length === 0 || this.#limit.pass() === undefined) return
    if (err === undefined) log.warn({ dropped: this.#lost }, `${loss}: the database takes none`)
    else log.error({ err, dropped: this.#lost }, loss)
  }

  #leave(item: Item): void {
    this.#left.get(item)?.resolve()
    this.#left.delete(item)
  }
}

const SYSTEM_CLOCK = {
  setTimeout(callback: () => void, delayMs: number): () => void {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}
