import type { AccessUnit } from 'sluice/sdk'

/** The most bytes kept of one stream in one form; a group of pictures that passes it is not kept. */
export const MAX_CACHE_BYTES = 64 * 1024 * 1024
/** The most entries kept. */
export const MAX_CACHE_ENTRIES = 20_000

/** The part of an entry that the cache needs. */
export type CacheEntry = {
  readonly timeMs: number
  readonly sizeBytes: number
  /** True where a subscriber can start. */
  readonly start: boolean
}

/** A unit as a stream keeps it for late joiners. */
export type UnitEntry = CacheEntry & { readonly unit: AccessUnit }

/**
 * The media that a late joiner gets: everything since the newest start point, or since the oldest one that is needed to
 * reach `bufferMs` back. At the limits the oldest groups of pictures go first; one that passes them alone is dropped until
 * the next start point, so that a source without keyframes can't fill the memory.
 */
export class GopCache<Entry extends CacheEntry> {
  #entries: Entry[] = []
  #bytes = 0
  #newestMs = -Infinity
  #shortOf: 'gop' | 'buffer' | undefined
  /** The length of the media that is kept besides the newest group of pictures, in milliseconds. */
  bufferMs: number

  constructor(bufferMs = 0) {
    this.bufferMs = bufferMs
  }

  /** The entries from the oldest start point on. Valid until the next `push`. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  push(entry: Entry): void {
    if (entry.start) this.#trim(entry)
    else if (this.#entries.length === 0) return
    this.#entries.push(entry)
    this.#bytes += entry.sizeBytes
    this.#newestMs = Math.max(this.#newestMs, entry.timeMs)
    while (this.#bytes > MAX_CACHE_BYTES || this.#entries.length > MAX_CACHE_ENTRIES) {
      const second = this.#entries.findIndex((other, index) => index > 0 && other.start)
      if (second < 0) {
        this.#shortOf = 'gop'
        this.clear()
      } else {
        this.#drop(second)
        if (this.keptMs < this.bufferMs) this.#shortOf = 'buffer'
      }
    }
  }

  /** The media that is missing because of the limits: the group of pictures under way, or older ones that `bufferMs` asks for. */
  get shortOf(): 'gop' | 'buffer' | undefined {
    return this.#shortOf
  }

  /** The time from the oldest kept media to the newest, in milliseconds. */
  get keptMs(): number {
    const [first] = this.#entries
    return first === undefined ? 0 : this.#newestMs - first.timeMs
  }

  clear(): void {
    this.#entries = []
    this.#bytes = 0
    this.#newestMs = -Infinity
  }

  /** The index of the newest start point that is `backMs` or more before the newest media; that of the oldest one if there is none. */
  startIndex(backMs: number): number {
    for (let index = this.#entries.length - 1; index > 0; index--) {
      const entry = this.#entries[index]
      if (entry?.start === true && this.#newestMs - entry.timeMs >= backMs) return index
    }
    return 0
  }

  // The search begins at the oldest entry, so that a unit costs the same whatever the buffer's length.
  #trim(next: Entry): void {
    this.#shortOf = undefined
    if (this.bufferMs === 0) return this.clear()
    let first = 0
    for (let index = 1; index < this.#entries.length; index++) {
      const entry = this.#entries[index]
      if (entry?.start !== true) continue
      if (next.timeMs - entry.timeMs < this.bufferMs) break
      first = index
    }
    this.#drop(first)
  }

  #drop(count: number): void {
    for (const entry of this.#entries.splice(0, count)) this.#bytes -= entry.sizeBytes
  }
}
