import { lowLatencyTerms, partsFrom, skippable } from '../presentation/rendition-playlist.ts'
import type { Rendition } from '../presentation/rendition.ts'
import type { SequenceNumbers } from '../presentation/sequence-numbers.ts'
import type { SplicePoint } from './splice-point.ts'
import type { MediaPlaylist, MediaSegment } from '../wire/media-playlist.ts'

/** The shortest playlist in target durations that the removal of a segment may leave (RFC 8216 6.2.2). */
const MIN_TARGET_DURATIONS = 3

/** The state that all renditions of one viewer share. */
export type SpliceTerms = {
  /** The number of segments in a playlist. */
  readonly window: number
  /** All renditions of the viewer, for their reports. */
  readonly all: Iterable<SplicedRendition>
  /** Returns true when no more media comes. */
  isEnded(): boolean
  /** Returns true when a file exists; a segment without its file is not listed any more. */
  isThere(uri: string): boolean
}

/** A complete segment that is listed; `independent` when decoders can start at it. */
type Entry = MediaSegment & { readonly independent: boolean }

/**
 * One viewer's rendition, which continues with the segments of another presentation whenever the viewer is switched. Its numbers are its
 * own from then on: they continue those of the first presentation. The segments themselves, their parts and names stay those of the
 * presentations.
 */
export class SplicedRendition implements Rendition {
  readonly name: string
  readonly #terms: SpliceTerms
  #source: Rendition
  /** The number of the next segment in the source. */
  #nextMsn: number
  /** The number of the last segment to be taken from the source, by the source's numbers. */
  #limitMsn = Infinity
  /** The wall clock up to which the source's segments were taken. */
  #takenToMs = 0
  /** True when the next segment does not continue the listed ones. */
  #breaks = false
  readonly #entries: Entry[] = []
  #mediaSequence: number
  #discontinuitySequence: number
  // These values never decrease, as players keep those they have read.
  #targetDurationSeconds = 0
  #partTargetSeconds: number | undefined
  #version = 0

  /**
   * Continues from the playlist of a rendition, as all of its viewers have it.
   * @param offset added to its numbers
   */
  constructor(source: Rendition, terms: SpliceTerms, offset: SequenceNumbers = { msn: 0, discontinuity: 0 }) {
    const { mediaSequence, discontinuitySequence } = source.playlist({ skip: false })
    this.name = source.name
    this.#terms = terms
    this.#source = source
    this.#nextMsn = mediaSequence
    this.#mediaSequence = mediaSequence + offset.msn
    this.#discontinuitySequence = discontinuitySequence + offset.discontinuity
    this.#follow()
  }

  get lastMsn(): number {
    return this.#endMsn + (this.#openParts > 0 ? 0 : -1)
  }

  get lastPart(): number {
    return this.#openParts - 1
  }

  /** The number of the oldest segment. */
  get firstMsn(): number {
    return this.#mediaSequence
  }

  /** The target duration that players know. */
  get targetMs(): number {
    return this.#targetDurationSeconds * 1000
  }

  get newestMs(): number {
    return this.#source.newestMs
  }

  /** The numbers after the newest segment. */
  get nextNumbers(): SequenceNumbers {
    const breaks = this.#entries.filter(({ discontinuity }) => discontinuity).length
    return { msn: this.lastMsn + 1, discontinuity: this.#discontinuitySequence + breaks + 1 }
  }

  /** The media of the source after the segments that were taken from it, in milliseconds. */
  get leftMs(): number {
    return Math.max(0, this.#source.newestMs - this.#takenToMs)
  }

  /** True when the last segment to be taken from the source has been taken. */
  get isAtLimit(): boolean {
    return this.#nextMsn > this.#limitMsn
  }

  /** The number of the newest segment of the source that players may know, by the source's numbers. */
  get shownMsn(): number {
    return this.#nextMsn + (this.#openParts > 0 ? 0 : -1)
  }

  /** Takes no segment of the source after this one, by the source's numbers. */
  limit(msn: number): void {
    this.#limitMsn = msn
  }

  /** Continues with the segments of another presentation's rendition. */
  switchTo(source: Rendition, { msn, startMs }: SplicePoint): void {
    this.#source = source
    this.#nextMsn = msn
    this.#takenToMs = startMs
    this.#limitMsn = Infinity
    this.#breaks = true
    this.#follow()
  }

  /** The duration so far of the segment being made. */
  get openSeconds(): number {
    return this.#openOf(this.#source.playlist({ skip: false }))?.durationSeconds ?? 0
  }

  /**
   * Ends the source with the segment being made, though it is not complete: players that have its parts go on after them, and others have a
   * gap.
   * @param durationSeconds its duration when there is no part of it yet
   */
  cutShort(durationSeconds: number): void {
    if (this.isAtLimit) return
    const playlist = this.#source.playlist({ skip: false })
    const { parts = [], ...open } = this.#openOf(playlist) ?? { durationSeconds, independent: true }
    // The gap is not to be loaded, but has to have a name.
    const uri = parts.at(-1)?.uri ?? playlist.preloadHint?.uri ?? `${this.name}-${this.#nextMsn}`
    this.#push({ ...open, uri, gap: true })
    this.#breaks = true
  }

  /** Takes the segments that are complete by now, and removes the oldest. */
  take(): void {
    if (!this.isAtLimit && this.#source.has(this.#nextMsn)) this.#follow()
    // Players give up at a playlist without any segment.
    while (this.#entries.length > 1 && !this.#isThere(this.#entries[0])) this.#dropOldest()
  }

  has(msn: number, part?: number): boolean {
    const nextMsn = this.#endMsn
    if (msn > nextMsn) return false
    if (msn === nextMsn) return part !== undefined && !this.isAtLimit && this.#source.has(this.#nextMsn, part)
    const count = this.#entries[msn - this.#mediaSequence]?.parts?.length ?? 0
    // A part past the last of a segment is the first of the next (rfc8216bis 6.2.5.2).
    const isOfNext = part !== undefined && count > 0 && part >= count
    return isOfNext && msn + 1 === nextMsn ? this.has(nextMsn, 0) : true
  }

  playlist({ skip }: { readonly skip: boolean }): MediaPlaylist {
    const now = this.#source.playlist({ skip: false })
    const open = this.#openOf(now)
    const listed = open === undefined ? this.#entries : [...this.#entries, open]
    const target = { targetDurationSeconds: this.#targetDurationSeconds }
    const partTarget = this.#partTargetSeconds
    const timed = listed.map(({ uri, durationSeconds }) => ({ complete: uri !== undefined, durationSeconds }))
    const skipped = skip && partTarget !== undefined ? skippable(timed, target) : 0
    const shown = partsFrom(timed, target)
    const ended = this.#terms.isEnded()
    const hint = ended ? undefined : this.#hintOf(now)
    return {
      version: Math.max(this.#version, now.version),
      ...target,
      mediaSequence: this.#mediaSequence,
      discontinuitySequence: this.#discontinuitySequence,
      independentSegments: listed.every(({ independent }) => independent),
      ...(partTarget === undefined ? {} : lowLatencyTerms(partTarget, target)),
      ...(skipped > 0 ? { skippedSegments: skipped } : {}),
      segments: listed
        .slice(skipped)
        .map((segment, index) => (index + skipped < shown ? withoutParts(segment) : segment)),
      ...(hint === undefined ? {} : { preloadHint: hint }),
      ...(partTarget === undefined ? {} : { renditionReports: this.#reports() }),
      ended,
    }
  }

  /** The number of the segment after the newest complete one. */
  get #endMsn(): number {
    return this.#mediaSequence + this.#entries.length
  }

  /** The number of listed parts of the segment being made. */
  get #openParts(): number {
    if (this.isAtLimit || this.#source.lastMsn !== this.#nextMsn) return 0
    return this.#source.lastPart + 1
  }

  #follow(): void {
    const playlist = this.#source.playlist({ skip: false })
    this.#targetDurationSeconds = Math.max(this.#targetDurationSeconds, playlist.targetDurationSeconds)
    const { partTargetSeconds: partTarget, version } = playlist
    this.#version = Math.max(this.#version, version)
    if (partTarget !== undefined) this.#partTargetSeconds = Math.max(this.#partTargetSeconds ?? 0, partTarget)
    for (const [index, segment] of playlist.segments.entries()) {
      const msn = playlist.mediaSequence + index
      if (msn < this.#nextMsn || msn > this.#limitMsn || segment.uri === undefined) continue
      // Some segments may have left the source's playlist before they were taken.
      if (msn > this.#nextMsn) this.#breaks = true
      this.#nextMsn = msn
      this.#push(this.#entryOf(segment, playlist))
    }
    let listedSeconds = this.#entries.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
    const leastSeconds = this.#targetDurationSeconds * MIN_TARGET_DURATIONS
    while (this.#entries.length > this.#terms.window) {
      listedSeconds -= this.#entries[0]!.durationSeconds
      if (listedSeconds < leastSeconds) break
      this.#dropOldest()
    }
  }

  #isThere(entry: Entry | undefined): boolean {
    return entry?.uri !== undefined && this.#terms.isThere(entry.uri)
  }

  #push(entry: Entry): void {
    this.#entries.push(entry)
    this.#breaks = false
    this.#nextMsn += 1
    this.#takenToMs = (entry.programDateTimeMs ?? this.#takenToMs) + entry.durationSeconds * 1000
  }

  #dropOldest(): void {
    const oldest = this.#entries.shift()
    this.#mediaSequence += 1
    if (oldest?.discontinuity === true) this.#discontinuitySequence += 1
  }

  #entryOf(segment: MediaSegment, { independentSegments }: MediaPlaylist): Entry {
    const independent = segment.parts?.[0]?.independent ?? independentSegments
    return { ...segment, independent, ...(this.#breaks ? { discontinuity: true } : {}) }
  }

  /** The segment being made, if it is one of the viewer's. */
  #openOf(playlist: MediaPlaylist): Entry | undefined {
    const open = playlist.segments.at(-1)
    if (open === undefined || open.uri !== undefined || this.isAtLimit) return undefined
    return openMsn(playlist) === this.#nextMsn ? this.#entryOf(open, playlist) : undefined
  }

  #hintOf(playlist: MediaPlaylist): MediaPlaylist['preloadHint'] {
    return this.isAtLimit || openMsn(playlist) !== this.#nextMsn ? undefined : playlist.preloadHint
  }

  #reports() {
    return [...this.#terms.all]
      .filter((other) => other !== this)
      .map((other) => {
        const parts = other.#openParts > 0 ? other.#openParts : (other.#entries.at(-1)?.parts?.length ?? 0)
        const { name, lastMsn } = other
        return { uri: `${name}.m3u8`, lastMsn, ...(parts > 0 ? { lastPart: parts - 1 } : {}) }
      })
  }
}

/** The number of the segment that is being made, or will be next. */
function openMsn({ mediaSequence, segments }: MediaPlaylist): number {
  const isOpen = segments.length > 0 && segments.at(-1)?.uri === undefined
  return mediaSequence + segments.length - (isOpen ? 1 : 0)
}

function withoutParts(segment: Entry): MediaSegment {
  return segment.parts === undefined ? segment : { ...segment, parts: [] }
}
