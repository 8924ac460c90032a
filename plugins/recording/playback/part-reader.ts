import type { AccessUnit, Recording, Track } from 'sluice/sdk'
import { mainTracks, rescale } from 'sluice/sdk/media'
import type { PlaybackPart } from './playback-part.ts'

/** The largest difference between a time in whole milliseconds and the time of the keyframe that it names. */
const SLACK_MS = 2
/** The longest time between the decoding and the presentation of a keyframe. */
const MAX_REORDER_MS = 1000
/** The largest distance, in time, of units of one time in the order of a file. */
const MAX_SKEW_MS = 2000

/**
 * Reads a part of a file: from the keyframe at or before its start up to its end, by decoding time in every track. When one part ends and
 * another begins at the same keyframe, each unit is in one of the two.
 */
export class PartReader {
  /** The time of the file at which it begins, in whole milliseconds: its start, or the keyframe before. */
  readonly fromMs: number
  readonly #recording: Recording
  readonly #main: Track | undefined
  /** The first time of units of the main track, in its ticks. */
  readonly #startTicks: number
  /** The first time of units of the other tracks. */
  readonly #othersFromMs: number
  readonly #toMs: number
  /** The ids of the tracks that were read up to the end of the part. */
  readonly #passed = new Set<number>()
  #isOver = false

  private constructor(recording: Recording, { fromMs, toMs, isCut }: PlaybackPart, start: AccessUnit | undefined) {
    this.#recording = recording
    this.#main = mainTracks(recording.tracks)[0]
    const startMs = start === undefined ? fromMs : start.dtsMs
    const isNamed = startMs - fromMs >= -SLACK_MS
    this.fromMs = isNamed ? fromMs : Math.floor(startMs)
    this.#startTicks = start?.dts ?? -Infinity
    this.#othersFromMs = start === undefined ? -Infinity : isNamed ? fromMs - SLACK_MS : startMs
    this.#toMs = isCut ? toMs - SLACK_MS : Infinity
  }

  /** @throws {Error} when the file can't be read */
  static async open(recording: Recording, part: PlaybackPart): Promise<PartReader> {
    const { fromMs, isOverlapped } = part
    const start = fromMs > 0 ? await startOf(recording, fromMs, isOverlapped) : undefined
    const reader = new PartReader(recording, part, start)
    if (start !== undefined) await recording.seek(Math.max(0, start.dtsMs - MAX_SKEW_MS))
    else if (fromMs > 0) reader.#isOver = true
    return reader
  }

  next(): AccessUnit | undefined | Promise<AccessUnit | undefined> {
    while (!this.#isOver) {
      const unit = this.#recording.next()
      if (unit instanceof Promise) return unit.then((read) => read && (this.#take(read) ?? this.next()))
      const taken = unit && this.#take(unit)
      if (unit === undefined || taken !== undefined) return taken
    }
    return undefined
  }

  /** Continues at the keyframe at or before a time of the file, or at the start. */
  async seek(fileMs: number): Promise<void> {
    this.#isOver = false
    this.#passed.clear()
    await this.#recording.seek(Math.max(0, fileMs))
  }

  #take(unit: AccessUnit): AccessUnit | undefined {
    const { track } = unit
    const ms = unit.dtsMs
    const isMain = track.id === this.#main?.id
    if (ms >= this.#toMs) return this.#pass(track, isMain ? ms : -Infinity)
    return (isMain ? unit.dts < this.#startTicks : ms < this.#othersFromMs) ? undefined : unit
  }

  /** Notes that a track has come to the end of the part. */
  #pass({ id }: Track, mainMs: number): undefined {
    this.#passed.add(id)
    this.#isOver =
      mainMs >= this.#toMs + MAX_SKEW_MS || this.#recording.tracks.every((track) => this.#passed.has(track.id))
  }
}

/** Returns the keyframe at or before a time; with `isAfter`, the first one at or after it. Undefined when there is none. */
async function startOf(recording: Recording, fromMs: number, isAfter: boolean): Promise<AccessUnit | undefined> {
  const before = await lastKeyframe(recording, fromMs)
  if (before === undefined || !isAfter || before.dtsMs >= fromMs - SLACK_MS) return before
  const { id } = before.track
  for (;;) {
    const unit = await recording.next()
    if (unit === undefined || (unit.track.id === id && unit.keyframe && unit.dtsMs >= fromMs - SLACK_MS)) return unit
  }
}

/** Searches the last keyframe that is decoded up to a time, since a recording seeks by presentation time. */
async function lastKeyframe(recording: Recording, fromMs: number): Promise<AccessUnit | undefined> {
  for (let positionMs = fromMs + MAX_REORDER_MS; ;) {
    await recording.seek(positionMs)
    const unit = await recording.next()
    if (unit === undefined || unit.dtsMs <= fromMs + SLACK_MS || positionMs <= 0) return unit
    const reorderMs = rescale(unit.pts - unit.dts, unit.track.timescale, 1000)
    positionMs = Math.max(0, Math.min(positionMs - 1, fromMs + SLACK_MS + reorderMs))
  }
}
