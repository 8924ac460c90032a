import { WorkQueue } from 'sluice/sdk'
import type { Download } from './download.ts'

/** The time for which a prepared download is kept for the next request: players ask for parts. */
const KEPT_MS = 60_000
const MAX_KEPT = 16
/** The most memory of all downloads that are kept. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024
/** The number of downloads that are prepared at the same time, and the number that wait for their turn. */
const MAX_PREPARING = 2
const MAX_WAITING = 32

type Prepare = (signal: AbortSignal) => Promise<Download>

type Entry = {
  readonly download: Promise<Download>
  /** Aborts the preparation. */
  readonly ending: AbortController
  /** The number of requests that wait for it. */
  waiters: number
  /** The download; undefined until it is prepared. */
  weightBytes: number | undefined
  timer: NodeJS.Timeout | undefined
}

/** Downloads that were prepared, which takes long for many files, while a player requests one part after the other. */
export class PreparedDownloads {
  /** The downloads by their content, the last requested ones at the end. */
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
   * Returns the download with a name, which is prepared unless it is there. Preparation is aborted when all requests for it have left.
   * @param signal the signal of the request
   * @throws {StreamUnavailable} when too many wait
   * @throws the reason of the signal's abort, or the error of `prepare`
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

  /** Keeps a download from now on, and as many of the others as there is room for. */
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
