import { allSegments, readMediaPlaylist, type ListedMedia } from '../../../support/hls/listed-media.ts'

/** Something to fetch, with its place: the number of its segment and, of a part, its own within that. */
export type Listed = {
  readonly uri: string
  readonly msn: number
  readonly index: number
  readonly independent: boolean
}

/** A media playlist as a viewer needs it. */
export type Listing = {
  readonly initUri: string | undefined
  readonly segments: readonly Listed[]
  readonly parts: readonly Listed[]
  /** The part that comes next. */
  readonly next: Pick<Listed, 'msn' | 'index'>
  readonly targetMs: number
  readonly canSkip: boolean
}

/** Reads media playlists for all viewers of the process: one that says what the last one said is not read again. */
export class Playlists {
  #text: Buffer = Buffer.alloc(0)
  #listing: Listing | undefined

  read(text: Buffer): Listing {
    if (this.#listing === undefined || !this.#text.equals(text)) {
      this.#text = Buffer.from(text)
      this.#listing = listingOf(readMediaPlaylist(text.toString()))
    }
    return this.#listing
  }
}

function listingOf(media: ListedMedia): Listing {
  const { open, mediaSequence, skippedSegments, targetDurationSeconds, canSkipUntilSeconds } = media
  const all = allSegments(media)
  return {
    initUri: all.at(-1)?.initUri,
    segments: media.segments.flatMap(({ uri, sequence }) =>
      uri === undefined ? [] : [{ uri, msn: sequence, index: 0, independent: true }],
    ),
    parts: all.flatMap(({ parts, sequence }) =>
      parts.map(({ uri, independent }, index) => ({ uri, msn: sequence, index, independent })),
    ),
    next: open
      ? { msn: open.sequence, index: open.parts.length }
      : { msn: mediaSequence + skippedSegments + media.segments.length, index: 0 },
    targetMs: targetDurationSeconds * 1000,
    canSkip: canSkipUntilSeconds !== undefined,
  }
}
