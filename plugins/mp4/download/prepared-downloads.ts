import { WorkQueue } from 'sluice/sdk'
import type { Download } from './download.ts'

/** How long what was prepared is kept for the next request of the same: players ask for parts. */
const KEPT_MS = 60_000
const MAX_KEPT = 16
/** How much memory all take that are kept. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024
/** How many are prepared side by side, and how many wait for their turn. */
const MAX_PREPARING = 2
const MAX_WAITING = 32

type Prepare = (signal: AbortSignal) => Promise<Download>

type Entry = {
  readonly download: Promise<Download>
  /** Ends preparing. */
  readonly ending: AbortController
  /** How many requests wait for it. */
  waiters: number
  /** Undefined until somebody has it. */
  weightBytes: number | undefined
  timer: NodeJS.Timeout | undefined
}

/** Downloads that were prepared, which takes its time for many files, and of which a player asks for one part after the other. */
export class PreparedDownloads {
  /** By what they are of, those that were asked for last at the end. */
  readonly #entries = new Map<string, Entry>()
  readonly #queue = new WorkQueue({
    working: MAX_PREPARING,
    waiting: MAX_WAITING,
    refusal: 'too many downloads are being prepared',
  })
  readonly #maxKeptBytes: number

  constructor({ maxKeptBytes = MAX_KEPT_BYTES } = {}) {
    this.#maxKeptBytes = maxKeptBytes
  }

  /**
   * The download of a name, which is prepared unless it is there. Preparing ends when all have left who wait for it.
   * @param signal of the request that waits
   * @throws {StreamUnavailable} too many are waited for
   * @throws what the signal was aborted for, or `prepare` threw
   */
  async get(name: string, signal: AbortSignal, prepare: Prepare): Promise<Download> {
    signal.throwIfAborted()
    const entry = this.#entries.get(name) ?? this.#begin(prepare)
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    entry.waiters += 1
    try {
      const download = await unlessAborted(entry.download, signal)
      entry.weightBytes ??= download.file.weightBytes
      if (this.#entries.get(name) === entry) this.#keep(name, entry)
      return download
    } finally {
      entry.waiters -= 1
      if (entry.waiters === 0 && entry.weightBytes === undefined) {
        this.#forget(name, entry)
        entry.ending.abort(signal.reason)
      }
    }
  }

  #begin(prepare: Prepare): Entry {
    const ending = new AbortController()
    const { signal } = ending
    const download = this.#queue.run(() => prepare(signal), { signal })
    return { download, ending, waiters: 0, weightBytes: undefined, timer: undefined }
  }

  /** Keeps one from now on, and of the others those for which there is room. */
  #keep(name: string, entry: Entry): void {
    clearTimeout(entry.timer)
    if ((entry.weightBytes ?? 0) > this.#maxKeptBytes) return this.#forget(name, entry)
    entry.timer = setTimeout(() => this.#forget(name, entry), KEPT_MS).unref()
    const kept = [...this.#entries].filter(([, { weightBytes }]) => weightBytes !== undefined)
    let count = kept.length
    let sumBytes = kept.reduce((sum, [, { weightBytes = 0 }]) => sum + weightBytes, 0)
    for (const [oldest, other] of kept) {
      if (count <= MAX_KEPT && sumBytes <= this.#maxKeptBytes) return
      this.#forget(oldest, other)
      count -= 1
      sumBytes -= other.weightBytes ?? 0
    }
  }

  #forget(name: string, entry: Entry): void {
    clearTimeout(entry.timer)
    if (this.#entries.get(name) === entry) this.#entries.delete(name)
  }
}

function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error)
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
