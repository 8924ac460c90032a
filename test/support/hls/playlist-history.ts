import { allSegments, readMediaPlaylist, tagNamed, type ListedMedia, type ListedSegment } from './listed-media.ts'
import type { Violation } from './playlist-lines.ts'

const WINDOW_TARGETS = 3
const MIN_WINDOW_SECONDS = 6
const TOLERANCE_SECONDS = 1e-3

type Removed = {
  readonly segment: ListedSegment
  /** Position in the media at which it may go (RFC 8216bis 6.2.2). */
  readonly dueSeconds: number
}

/**
 * Follows one live media playlist from load to load, and says which rules on its changes it breaks. Delta updates are
 * taken, as a player would.
 */
export class PlaylistHistory {
  #last: ListedMedia | undefined
  #removed: Removed[] = []
  #longestSeconds = 0
  /** Where the media ends, counted from the first playlist's start. */
  #endSeconds = 0

  /** The segments of the newest playlist, those that a delta update left out included. */
  get segments(): readonly ListedSegment[] {
    return this.#last?.segments ?? []
  }

  /** The segment that is being made, where parts of it are listed. */
  get open(): ListedSegment | undefined {
    return this.#last?.open
  }

  /** Takes the playlist of another load; the violations are those between the last one and this. */
  add(text: string): Violation[] {
    const before = this.#last
    const delta = readMediaPlaylist(text)
    const playlist = before ? expanded(before, delta) : delta
    this.#last = playlist
    this.#follow(before, playlist)
    return before ? [...checkLoad(before, delta, playlist)] : []
  }

  /** Asks for the segments that were removed too short a time ago to be gone, with their init segments. */
  async checkRemoved(isThere: (uri: string) => Promise<boolean>): Promise<Violation[]> {
    const due = this.#removed.filter(({ dueSeconds }) => dueSeconds > this.#endSeconds)
    const uris = new Set(due.flatMap(({ segment }) => filesOf(segment)))
    const answers = await Promise.all([...uris].map(async (uri) => ({ uri, there: await isThere(uri) })))
    return answers.filter(({ there }) => !there).map(({ uri }) => ({ rule: 'removed-gone', line: 0, detail: uri }))
  }

  #follow(before: ListedMedia | undefined, playlist: ListedMedia): void {
    const known = before?.segments.at(-1)?.sequence ?? Number.NEGATIVE_INFINITY
    this.#endSeconds += secondsOf(playlist.segments.filter(({ sequence }) => sequence > known))
    for (const segment of before?.segments ?? []) {
      if (segment.sequence >= playlist.mediaSequence) continue
      const dueSeconds = this.#endSeconds + segment.durationSeconds + this.#longestSeconds
      this.#removed.push({ segment, dueSeconds })
    }
    this.#removed = this.#removed.filter(({ dueSeconds }) => dueSeconds > this.#endSeconds)
    this.#longestSeconds = Math.max(this.#longestSeconds, secondsOf(playlist.segments))
  }
}

const filesOf = ({ uri, initUri, gap }: ListedSegment) =>
  gap ? [] : [uri, initUri].filter((name) => name !== undefined)

const secondsOf = (segments: readonly ListedSegment[]) =>
  segments.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)

/** The whole playlist that a delta update stands for, by the one before. */
function expanded(before: ListedMedia, delta: ListedMedia): ListedMedia {
  const { mediaSequence, skippedSegments } = delta
  if (skippedSegments === 0) return delta
  const skipped = before.segments.filter(
    ({ sequence }) => sequence >= mediaSequence && sequence < mediaSequence + skippedSegments,
  )
  const initUri = skipped.at(-1)?.initUri
  const goOn = (segment: ListedSegment) => ({ ...segment, initUri: segment.initUri ?? initUri })
  return { ...delta, segments: [...skipped, ...delta.segments.map(goOn)], open: delta.open && goOn(delta.open) }
}

function* checkLoad(before: ListedMedia, delta: ListedMedia, playlist: ListedMedia): Generator<Violation> {
  const { skippedSegments, canSkipUntilSeconds = Number.POSITIVE_INFINITY } = delta
  const line = tagNamed(delta, 'EXT-X-SKIP')?.line ?? 1
  const known = playlist.segments.length - delta.segments.length
  if (known < skippedSegments) {
    yield { rule: 'skip-unknown', line, detail: `${skippedSegments} segments, of which ${known} were listed` }
    return
  }
  if (skippedSegments > 0) {
    const toEndSeconds = secondsOf(playlist.segments.slice(skippedSegments - 1))
    if (toEndSeconds < canSkipUntilSeconds - TOLERANCE_SECONDS) {
      yield { rule: 'skip-boundary', line, detail: `a segment ${toEndSeconds} s from the end is skipped` }
    }
  }
  yield* checkChange(before, playlist)
}

function* checkChange(before: ListedMedia, after: ListedMedia): Generator<Violation> {
  const line = (name: string) => tagNamed(after, name)?.line ?? 1
  if (before.targetDurationSeconds !== after.targetDurationSeconds) {
    const detail = `${before.targetDurationSeconds} became ${after.targetDurationSeconds}`
    yield { rule: 'target-duration-changed', line: line('EXT-X-TARGETDURATION'), detail }
  }
  if (after.mediaSequence < before.mediaSequence) {
    const detail = `${before.mediaSequence} became ${after.mediaSequence}`
    yield { rule: 'media-sequence-back', line: line('EXT-X-MEDIA-SEQUENCE'), detail }
    return
  }
  if (before.ended && !sameSegments(before, after)) yield { rule: 'changed-after-end', line: 1, detail: 'segments' }
  if (before.ended && !after.ended) yield { rule: 'changed-after-end', line: 1, detail: 'no EXT-X-ENDLIST any more' }
  yield* checkSegmentsKept(before, after)
  yield* checkHintKept(before, after)
  yield* checkDiscontinuities(before, after, line('EXT-X-DISCONTINUITY-SEQUENCE'))
  const windowSeconds = secondsOf(after.segments)
  const leastSeconds = Math.max(WINDOW_TARGETS * after.targetDurationSeconds, MIN_WINDOW_SECONDS)
  if (after.mediaSequence > before.mediaSequence && windowSeconds < leastSeconds - TOLERANCE_SECONDS) {
    yield {
      rule: 'window',
      line: line('EXT-X-MEDIA-SEQUENCE'),
      detail: `${windowSeconds} of at least ${leastSeconds} s`,
    }
  }
}

const sameSegments = (one: ListedMedia, other: ListedMedia) =>
  one.segments.at(-1)?.sequence === other.segments.at(-1)?.sequence

/** A segment or part that was listed stays as it was, at its number. */
function* checkSegmentsKept(before: ListedMedia, after: ListedMedia): Generator<Violation> {
  const now = new Map(allSegments(after).map((segment) => [segment.sequence, segment]))
  for (const old of allSegments(before)) {
    const segment = now.get(old.sequence)
    if (old.sequence < after.mediaSequence) continue
    if (!segment) {
      yield { rule: 'segment-vanished', line: 1, detail: `${old.sequence}, ${old.uri}` }
      continue
    }
    // Those of a whole segment go when it is old.
    const parts = segment.uri !== undefined && segment.parts.length === 0 ? [] : old.parts
    for (const [index, part] of parts.entries()) {
      const found = segment.parts[index]
      if (found?.uri !== part.uri || found.durationSeconds !== part.durationSeconds) {
        yield { rule: 'part-changed', line: found?.line ?? segment.line, detail: `${part.uri} became ${found?.uri}` }
      }
    }
    const changed = changeOf(old, segment)
    if (changed !== undefined) yield { rule: 'segment-changed', line: segment.line, detail: changed }
  }
}

/** What was hinted at is the next part, but for what interrupts the media. */
function* checkHintKept(before: ListedMedia, after: ListedMedia): Generator<Violation> {
  const hinted = tagNamed(before, 'EXT-X-PRELOAD-HINT')?.attributes.get('URI')
  const last = allSegments(before)
    .flatMap(({ parts }) => parts)
    .at(-1)
  const parts = allSegments(after).flatMap((segment) => segment.parts.map((part) => ({ ...part, segment })))
  const lastIndex = parts.findIndex(({ uri }) => uri === last?.uri)
  const next = lastIndex < 0 ? undefined : parts[lastIndex + 1]
  if (hinted === undefined || next === undefined || next.uri === hinted) return
  const interrupted = next.segment.discontinuity && next.segment.parts[0]?.uri === next.uri
  if (!interrupted) yield { rule: 'hint-broken', line: next.line, detail: `${next.uri}, but ${hinted} was hinted at` }
}

function changeOf(old: ListedSegment, segment: ListedSegment): string | undefined {
  const keys = ['discontinuity', 'initUri', 'uri', 'durationSeconds', 'gap', 'programDateTimeMs'] as const
  // The last ones are told when it is whole.
  const key = keys.slice(0, old.uri === undefined ? 2 : undefined).find((name) => old[name] !== segment[name])
  return key && `${segment.uri}: ${key} ${old[key]} became ${segment[key]}`
}

function* checkDiscontinuities(before: ListedMedia, after: ListedMedia, line: number): Generator<Violation> {
  const removed = before.segments.filter(({ sequence }) => sequence < after.mediaSequence)
  const counted = removed.filter(({ discontinuity }) => discontinuity).length
  const steps = after.discontinuitySequence - before.discontinuitySequence
  // More can have come and gone between two loads.
  const wasSeen = after.mediaSequence <= (before.segments.at(-1)?.sequence ?? 0) + 1
  if (wasSeen ? steps !== counted : steps < counted) {
    yield { rule: 'discontinuity-sequence', line, detail: `${steps} steps for ${counted} removed` }
  }
}
