import type { HlsFormat } from '../player.ts'
import type { Listed, Listing } from './playlists.ts'

/** How far from the end of the playlist a viewer of whole segments begins (RFC 8216 6.3.3). */
const SEGMENTS_FROM_END = 3

/** How far a viewer has come in a rendition, and how it goes on. */
export interface Progress {
  /** What it fetches next. */
  take(listing: Listing): readonly Listed[]
  /** What it adds to the playlist's query when it asks again. */
  reloadQuery(listing: Listing): string
  /** How long after it asked for a playlist it asks again, when that brought anything new, or did not. */
  reloadAfterMs(listing: Listing, brought: boolean): number
}

/** @param phase From 0 to 1: when within a target duration a viewer of whole segments asks, so that they don't all at once. */
export function startProgress(format: HlsFormat, phase: number): Progress {
  return format === 'hls-parts' ? new PartProgress() : new SegmentProgress(phase)
}

/** Part after part, by playlists that are asked for before they are there. */
class PartProgress implements Progress {
  #next: Listing['next'] | undefined

  take({ parts, next }: Listing): readonly Listed[] {
    const from = this.#next
    this.#next = next
    if (from === undefined) return parts.slice(parts.findLastIndex(({ independent }) => independent))
    return parts.filter(({ msn, index }) => msn > from.msn || (msn === from.msn && index >= from.index))
  }

  reloadQuery({ next, canSkip }: Listing): string {
    return `_HLS_msn=${next.msn}&_HLS_part=${next.index}${canSkip ? '&_HLS_skip=YES' : ''}`
  }

  reloadAfterMs(): number {
    return 0
  }
}

/** Segment after segment, by a playlist that is asked for again and again (RFC 8216 6.3.4). */
class SegmentProgress implements Progress {
  #phase: number | undefined
  #nextMsn: number | undefined

  constructor(phase: number) {
    this.#phase = phase
  }

  take({ segments, next }: Listing): readonly Listed[] {
    const from = this.#nextMsn ?? next.msn - SEGMENTS_FROM_END
    this.#nextMsn = (segments.at(-1)?.msn ?? from - 1) + 1
    return segments.filter(({ msn }) => msn >= from)
  }

  reloadQuery(): string {
    return ''
  }

  reloadAfterMs({ targetMs }: Listing, brought: boolean): number {
    const share = this.#phase ?? (brought ? 1 : 0.5)
    this.#phase = undefined
    return targetMs * share
  }
}
