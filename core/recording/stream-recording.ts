import type { Logger } from 'pino'
import type { AccessUnit, RecordedFile, RecordingEvent, RecordService, Subscriber, Track } from 'sluice/sdk'
import type { FileRecorder } from './file-recorder.ts'
import type { RecordingFiles } from './recording-files.ts'
import { recordedFile } from './catalogue-lists.ts'
import type { WantedRecording } from './record-rules.ts'
import type { ServerClock } from './server-clock.ts'
import { StreamDates } from './stream-dates.ts'
import { StreamRecorder, type FileStart } from './stream-recorder.ts'

export type StreamRecordingOptions = {
  readonly wanted: WantedRecording
  readonly service: RecordService
  readonly files: RecordingFiles
  readonly log: Logger
  readonly mode: 'auto' | 'event'
  readonly event: RecordingEvent | undefined
  readonly clock: ServerClock
  /** The uptime of the server at which it is over, by the one at which it began; may change while it goes on. */
  readonly untilMs: (beganMs: number) => number
  /** A file was begun, at this path. */
  readonly began: (filePath: string) => void
  readonly failed: (error: Error) => void
  readonly over: () => void
  readonly recorded: (file: RecordedFile) => void
}

/** A subscriber, and the time of what it was given last. */
type RecordedSubscriber = Pick<Subscriber, 'read'> & { readonly waiting: { readonly lastTimeMs: number } | undefined }

/** What a subscriber gets, in files with dates. */
export class StreamRecording {
  readonly #options: StreamRecordingOptions
  readonly #recorder: StreamRecorder
  #dates: StreamDates | undefined
  /** The files that have not ended, with the date of the server's uptime 0 by which each has its dates. */
  readonly #open = new Map<FileRecorder, number>()
  /** As uptimes. */
  #beganMs = 0
  #latestMs = -Infinity
  #writtenBytes = 0
  #leftOut = ''
  #isOver = false

  constructor(options: StreamRecordingOptions) {
    this.#options = options
    this.#recorder = new StreamRecorder({
      service: options.service,
      fragmentMs: () => (options.wanted.rule.append ? 0 : options.wanted.rule.fragment),
      isCutDue: () => !options.wanted.rule.append && this.#dates?.isClockSet === true,
      open: (start) => this.#begin(start),
      ended: (file) => this.#ended(file),
      failed: options.failed,
      leftOut: (tracks) => this.#tellLeftOut(tracks),
    })
  }

  /** The file that is being written. */
  get file(): RecordedFile | undefined {
    const entry = this.#recorder.file?.entry
    return entry && recordedFile(entry)
  }

  /** The bytes of all files so far. */
  get writtenBytes(): number {
    return this.#writtenBytes + (this.#recorder.file?.entry.sizeBytes ?? 0)
  }

  begin(subscriber: RecordedSubscriber): void {
    const recorder = this.#recorder
    subscriber.read({
      track: (track) => recorder.track(track),
      trackRemoved: (track) => recorder.trackRemoved(track),
      unit: (unit) => (this.#dates === undefined ? this.#first(unit, subscriber) : this.#unit(unit, this.#dates)),
      discontinuity: () => recorder.discontinuity(),
      sourceEnded: () => recorder.sourceEnded(),
    })
  }

  /** Ends it by an error. */
  fail(error: Error): void {
    this.#options.failed(error)
  }

  /** Ends its file. Never rejects. */
  close(): Promise<void> {
    this.#isOver = true
    return this.#recorder.close()
  }

  /** What was kept for late joiners comes first, all in one turn: the newest of it is of now. */
  async #first(unit: AccessUnit, subscriber: RecordedSubscriber): Promise<void> {
    await Promise.resolve()
    const dates = new StreamDates(subscriber.waiting?.lastTimeMs ?? unit.dtsMs, this.#options.clock)
    this.#dates = dates
    this.#beganMs = dates.uptimeOf(unit.dtsMs)
    await this.#unit(unit, dates)
  }

  #unit(unit: AccessUnit, dates: StreamDates): Promise<void> | undefined {
    if (this.#isOver) return undefined
    if (dates.uptimeOf(unit.dtsMs) >= this.#options.untilMs(this.#beganMs)) {
      this.#isOver = true
      this.#options.over()
      return undefined
    }
    return this.#recorder.unit(unit)
  }

  async #begin({ tracks, baseMs }: FileStart): Promise<FileRecorder> {
    const { wanted, files, service, mode, event } = this.#options
    const dates = this.#dates
    if (dates === undefined) throw new Error('the recording has not begun')
    // The file before may get late sound still; it ends where this one begins.
    for (const [file, zeroMs] of this.#open) this.#latestMs = Math.max(this.#latestMs, file.dateOf(baseMs) - zeroMs)
    const startMs =
      this.#latestMs > -Infinity ? dates.adjust(baseMs, this.#latestMs) : dates.uptimeOf(baseMs) + dates.zeroMs
    const { zeroMs } = dates
    const file = await files.create({ wanted, service, tracks, baseMs, startMs, clockMs: zeroMs, mode, event })
    this.#open.set(file, zeroMs)
    this.#options.began(file.entry.filePath)
    return file
  }

  #ended(file: FileRecorder): void {
    const { files, log, recorded } = this.#options
    const { entry, dropped, error } = file
    this.#latestMs = Math.max(this.#latestMs, entry.endMs - (this.#open.get(file) ?? 0))
    this.#open.delete(file)
    this.#writtenBytes += entry.sizeBytes
    if (dropped > 0) log.warn({ file: entry.filePath, dropped }, 'units were left out that could not be recorded')
    if (error !== undefined) log.debug({ err: error, file: entry.filePath }, 'the file was not finished')
    if (files.finish(entry)) recorded(recordedFile(entry))
  }

  /** Says it once of the same tracks. */
  #tellLeftOut(tracks: readonly Track[]): void {
    const leftOut = tracks.map(({ codec }) => codec)
    if (this.#leftOut === leftOut.join()) return
    this.#leftOut = leftOut.join()
    const { log, wanted } = this.#options
    log.warn({ leftOut }, `recordings of type ${wanted.type} have no place for some tracks`)
  }
}
