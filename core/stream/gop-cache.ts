/** Most bytes kept of one stream in one form; a group of pictures that passes it is not kept. */
export const MAX_CACHE_BYTES = 64 * 1024 * 1024
/** Most entries kept. */
export const MAX_CACHE_ENTRIES = 20_000

/** What the cache needs to know of an entry. */
export type CacheEntry = {
  readonly timeMs: number
  readonly sizeBytes: number
  /** A viewer can start here. */
  readonly start: boolean
}

/**
 * What a late joiner gets: everything since the newest start point, or since the oldest one that is needed to reach
 * `bufferMs` back. A group of pictures that grows past the limits is dropped until the next start point, so that a
 * source without keyframes can't fill the memory.
 */
export class GopCache<Entry extends CacheEntry> {
  #entries: Entry[] = []
  #bytes = 0
  #overflowed = false
  /** Media kept, in milliseconds, besides the newest group of pictures. */
  bufferMs: number

  constructor(bufferMs = 0) {
    this.bufferMs = bufferMs
  }

  /** From the oldest start point kept. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  push(entry: Entry): void {
    if (entry.start) this.#trim(entry)
    else if (this.#entries.length === 0) return
    this.#entries.push(entry)
    this.#bytes += entry.sizeBytes
    if (this.#bytes > MAX_CACHE_BYTES || this.#entries.length > MAX_CACHE_ENTRIES) {
      this.clear()
      this.#overflowed = true
    }
  }

  /** Whether the group of pictures under way was too large to keep. */
  get overflowed(): boolean {
    return this.#overflowed
  }

  clear(): void {
    this.#entries = []
    this.#bytes = 0
  }

  /** The index of the start point that lies `backMs` before the newest entry, or the oldest there is. */
  startIndex(backMs: number): number {
    const newest = this.#entries.at(-1)
    if (newest === undefined) return 0
    for (let index = this.#entries.length - 1; index > 0; index--) {
      const entry = this.#entries[index]
      if (entry?.start === true && newest.timeMs - entry.timeMs >= backMs) return index
    }
    return 0
  }

  #trim(next: Entry): void {
    this.#overflowed = false
    if (this.bufferMs === 0) return this.clear()
    const first = this.#entries.findLastIndex((entry) => entry.start && next.timeMs - entry.timeMs >= this.bufferMs)
    if (first <= 0) return
    for (let index = 0; index < first; index++) this.#bytes -= this.#entries[index]?.sizeBytes ?? 0
    this.#entries.splice(0, first)
  }
}
