import type { MediaPlaylist } from '../wire/media-playlist.ts'

/** One media playlist of a presentation. */
export interface Rendition {
  /** `video`, `audio`, `audio2`, … */
  readonly name: string
  /** Media sequence number of the newest segment that has any media; −1 before the first. */
  readonly lastMsn: number
  /** Number of its newest part; −1 when it is complete, or has no parts. */
  readonly lastPart: number
  /** The wall clock of its newest media, listed or not, in milliseconds since the Unix epoch. */
  readonly newestMs: number
  /** True when a segment is complete or, with `part`, that part of it exists. True for dropped segments, too. */
  has(msn: number, part?: number): boolean
  /**
   * Returns the current playlist. URIs are names of files, and names of renditions in the reports.
   * @param options.skip true to leave old segments out (EXT-X-SKIP), if the window is long enough
   */
  playlist(options: { readonly skip: boolean }): MediaPlaylist
}
