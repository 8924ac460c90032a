import { type AccessUnit, type MediaTrack, type RecordService, type Track, type UnitReader } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'
import type { MediaFileWriter } from './media-file-writer.ts'

/** The longest time by which a keyframe may come before the end of a fragment and end it: times of encoders and cameras jitter. */
const FRAGMENT_SLACK_MS = 50
/** The longest delay of sound behind the pictures of its time with which it is still written to the former file. */
const MAX_LATE_MS = 2000

/** The beginning of a file: its tracks and its time. */
export type FileStart = {
  readonly tracks: readonly MediaTrack[]
  /** The time of the stream, in milliseconds. */
  readonly baseMs: number
}

type StreamCutterOptions = {
  readonly service: Pick<RecordService, 'carries'>
  /** Returns the duration after which a file ends at the next keyframe; 0 for no limit. */
  readonly fragmentMs: () => number
  /** Called at keyframes; returns true when a file must begin there in any case. */
  readonly isCutDue: () => boolean
  /** Begins a file. */
  readonly open: (start: FileStart) => Promise<MediaFileWriter>
  /** Called when a file has ended, with or without an error. */
  readonly ended: (file: MediaFileWriter) => void
  /** Called when a file could not be created or written: nothing more is recorded. */
  readonly failed: (error: Error) => unknown
  /** Called with the tracks that the container can't carry. */
  readonly leftOut: (tracks: readonly Track[]) => void
  /** Called at the keyframe with which another recording continues, at `baseMs`; `isContinuous` is true when a file has ended there. */
  readonly handedOver: (baseMs: number, isContinuous: boolean) => void
  /** Called when the last file before a hand-over has ended. */
  readonly finished: () => void
}

/**
 * Cuts a stream into files, each of which begins with a keyframe. A new file begins when the last one is long enough, and when one of
 * these changes: the publisher, the tracks, a codec or size, or the clock of the file's dates.
 */
export class StreamCutter implements UnitReader {
  readonly #options: StreamCutterOptions
  readonly #known = new Map<number, Track>()
  #carried: readonly MediaTrack[] = []
  /** The track with the keyframes that begin files: a video track, when there is one. */
  #main: MediaTrack | undefined
  #file: MediaFileWriter | undefined
  /** The former file, as long as late sound may come for it. */
  #former: MediaFileWriter | undefined
  #isCutWanted = false
  /** The first file begins with a keyframe after this time. */
  #beginsAfterMs = -Infinity
  /** Another recording continues with the first keyframe after this time. */
  #endsAfterMs = Infinity
  /** The time at which another recording has continued; undefined before. */
  #goneOnMs: number | undefined
  /** Resolves when the file that is being opened has begun. */
  #cutting: Promise<void> = Promise.resolve()
  /** Resolves when the files that have ended so far are closed. */
  #closing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: StreamCutterOptions) {
    this.#options = options
  }

  /** The file that is being written. */
  get file(): MediaFileWriter | undefined {
    return this.#file
  }

  /** Makes the first file begin with a keyframe after a time. */
  beginAfter(timeMs: number): void {
    this.#beginsAfterMs = timeMs
  }

  /** Makes the last file end at the first keyframe after a time, with which another recording continues. */
  endAfter(timeMs: number): void {
    this.#endsAfterMs = timeMs
  }

  /** Returns the newest of some units of the track that files are cut by; of all tracks when that has none. */
  newestOf(units: readonly AccessUnit[]): AccessUnit | undefined {
    return units.findLast(({ track }) => track.id === this.#main?.id) ?? units.at(-1)
  }

  track(track: Track): void {
    this.#known.set(track.id, track)
    this.#chooseTracks()
  }

  trackRemoved(track: Track): void {
    this.#known.delete(track.id)
    this.#chooseTracks()
  }

  /** @returns a promise to wait for when the disk is slow, or a file is being opened */
  unit(unit: AccessUnit): Promise<void> | undefined {
    const { track } = unit
    const timeMs = unit.dtsMs
    if (this.#isClosed || !this.#carried.some(({ id }) => id === track.id)) return undefined
    if (this.#goneOnMs !== undefined) return this.#afterHandOver(unit, timeMs, this.#goneOnMs)
    if (this.#isStart(unit) && timeMs > this.#endsAfterMs) return (this.#cutting = this.#handOver(unit, timeMs))
    const file = this.#file
    if (this.#begins(unit, timeMs)) return (this.#cutting = this.#cut(unit, timeMs))
    if (file === undefined) return undefined
    if (timeMs < file.baseMs) return this.#writeLate(unit, timeMs)
    this.#endFormer(timeMs)
    if (!file.has(track)) {
      this.#isCutWanted = true
      return undefined
    }
    return this.#write(file, unit, timeMs)
  }

  discontinuity(): Promise<void> {
    return this.#end()
  }

  sourceEnded(): Promise<void> {
    this.#known.clear()
    this.#chooseTracks()
    return this.#end()
  }

  /** Ends the file and ignores later units; resolves when all files are closed. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#cutting
    await this.#end()
  }

  #chooseTracks(): void {
    const known = [...this.#known.values()]
    const { carries } = this.#options.service
    const media = known.filter((track) => track.kind !== 'data')
    const carried = known.filter((track): track is MediaTrack => carries(track))
    if (carried.length < media.length) this.#options.leftOut(media.filter((track) => !carries(track)))
    this.#carried = carried
    this.#main = mainTracks(carried)[0]
    const file = this.#file
    this.#isCutWanted = file !== undefined && !carried.every((track) => file.has(track))
  }

  /** True for a keyframe of the track that files are cut by. */
  #isStart({ track, keyframe }: AccessUnit): boolean {
    return track.id === this.#main?.id && keyframe
  }

  /** True for a unit that a file begins with. */
  #begins(unit: AccessUnit, timeMs: number): boolean {
    const isStart = this.#isStart(unit) && timeMs > this.#beginsAfterMs
    const file = this.#file
    if (!isStart || file === undefined) return isStart
    const fragmentMs = this.#options.fragmentMs()
    const isLong = fragmentMs > 0 && timeMs - file.baseMs >= fragmentMs - FRAGMENT_SLACK_MS
    return this.#isCutWanted || isLong || !file.has(unit.track) || this.#options.isCutDue()
  }

  async #cut(unit: AccessUnit, timeMs: number): Promise<void> {
    const baseMs = Math.max(0, Math.floor(timeMs))
    const former = this.#former
    this.#former = this.#file
    this.#former?.flush(unit)
    await this.#endFile(former, this.#former?.baseMs)
    this.#file = undefined
    this.#isCutWanted = false
    try {
      const file = await this.#options.open({ tracks: this.#carried, baseMs })
      this.#file = file
      await this.#write(file, unit, timeMs)
    } catch (error) {
      this.#options.failed(error instanceof Error ? error : new Error(String(error)))
    }
    // `close` may have been called meanwhile.
    if (this.#isClosed) await this.#end()
  }

  /** Hands over at a keyframe: ends the files, but for the newest one, for which late sound may come. */
  async #handOver(unit: AccessUnit, timeMs: number): Promise<void> {
    const baseMs = Math.max(0, Math.floor(timeMs))
    this.#goneOnMs = baseMs
    const former = this.#former
    this.#former = this.#file
    this.#file = undefined
    this.#former?.flush(unit)
    this.#options.handedOver(baseMs, this.#former !== undefined)
    await this.#endFile(former, this.#former?.baseMs)
    if (this.#former === undefined || this.#isClosed) await this.#end()
  }

  #afterHandOver(unit: AccessUnit, timeMs: number, baseMs: number): Promise<void> | undefined {
    if (timeMs < baseMs) return this.#writeLate(unit, timeMs)
    return timeMs - baseMs >= MAX_LATE_MS ? this.#end() : undefined
  }

  #write(file: MediaFileWriter, unit: AccessUnit, timeMs: number): Promise<void> | undefined {
    const waits = file.write(unit, timeMs)
    if (file.error !== undefined) this.#options.failed(file.error)
    return waits
  }

  #writeLate(unit: AccessUnit, timeMs: number): Promise<void> | undefined {
    const former = this.#former
    if (former === undefined || !former.has(unit.track) || timeMs < former.baseMs) return undefined
    return former.write(unit, timeMs)
  }

  #endFormer(timeMs: number): void {
    const former = this.#former
    const file = this.#file
    if (former === undefined || file === undefined || timeMs - file.baseMs < MAX_LATE_MS) return
    this.#former = undefined
    void this.#endFile(former, file.baseMs)
  }

  async #end(): Promise<void> {
    const [former, file] = [this.#former, this.#file]
    this.#former = this.#file = undefined
    void this.#endFile(former, file?.baseMs ?? this.#goneOnMs)
    void this.#endFile(file)
    await this.#closing
    if (this.#goneOnMs !== undefined) this.#options.finished()
  }

  #endFile(file: MediaFileWriter | undefined, endMs?: number): Promise<void> {
    if (file === undefined) return Promise.resolve()
    const earlier = this.#closing
    const closed = file.close(endMs).then(() => this.#options.ended(file))
    this.#closing = closed.then(() => earlier)
    return closed
  }
}
