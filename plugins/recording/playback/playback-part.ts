import type { RecordingDates } from 'sluice/sdk'
import type { FileEntry } from '../catalogue/file-entry.ts'

/** A part of a file that is played, in milliseconds of the file. */
export type PlaybackPart = {
  readonly entry: FileEntry
  readonly fromMs: number
  /** The end of the file, unless it `isCut` before. */
  readonly toMs: number
  readonly isCut: boolean
  /** True when it begins with the keyframe after `fromMs`, since the former file covers that time; else with the one before. */
  readonly isOverlapped: boolean
}

/** The time to play, in milliseconds since the Unix epoch; without start from the first file, without end to the last. */
type Range = { readonly startMs: number | undefined; readonly endMs: number | undefined }

/**
 * Returns the parts of files in a time range, one after another. Where files by the same clock overlap, the one that began first is played.
 * Files by another clock have other media: they don't overlap.
 */
export function playbackParts(entries: readonly FileEntry[], { startMs, endMs }: Range): PlaybackPart[] {
  const parts: PlaybackPart[] = []
  const doneByClock = new Map<number, number>()
  for (const entry of entries) {
    const doneMs = doneByClock.get(entry.clockMs) ?? -Infinity
    const isOverlapped = doneMs > entry.startMs
    const fromMs = Math.max(0, (startMs ?? -Infinity) - entry.startMs, doneMs - entry.startMs)
    const isCut = endMs !== undefined && endMs < entry.endMs
    const toMs = (isCut ? endMs : entry.endMs) - entry.startMs
    if (toMs <= fromMs) continue
    parts.push({ entry, fromMs, toMs, isCut, isOverlapped })
    doneByClock.set(entry.clockMs, entry.startMs + toMs)
  }
  return parts
}

/** The place of a position of a playback: the number of the part, and the time of its file. */
export type PlaybackPlace = { readonly index: number; readonly fileMs: number }

/** The times of a playback, in which its parts follow one another without gaps. */
export class PlaybackTimes implements RecordingDates {
  readonly durationMs: number
  readonly #parts: readonly PlaybackPart[]
  readonly #offsetsMs: readonly number[]

  constructor(parts: readonly PlaybackPart[]) {
    let offsetMs = 0
    this.#parts = parts
    this.#offsetsMs = parts.map(({ fromMs, toMs }) => {
      const before = offsetMs
      offsetMs += toMs - fromMs
      return before
    })
    this.durationMs = offsetMs
  }

  /** The difference between times of the playback and of a part's file. */
  shiftMs(index: number): number {
    return (this.#offsetsMs[index] ?? 0) - (this.#parts[index]?.fromMs ?? 0)
  }

  placeOf(positionMs: number): PlaybackPlace {
    const index = Math.max(0, lastUpTo(this.#offsetsMs, positionMs))
    return { index, fileMs: positionMs - this.shiftMs(index) }
  }

  dateOf(positionMs: number): number {
    const { index, fileMs } = this.placeOf(positionMs)
    return Math.round((this.#parts[index]?.entry.startMs ?? 0) + fileMs)
  }

  positionOf(dateMs: number): number {
    const index = this.#parts.findIndex(({ entry, toMs }) => entry.startMs + toMs > dateMs)
    const part = this.#parts[index]
    if (part === undefined) return this.durationMs
    return Math.max(part.fromMs, dateMs - part.entry.startMs) + this.shiftMs(index)
  }
}

/** A binary search for the index of the last of ascending numbers that is not above a limit; -1 when there is none. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
