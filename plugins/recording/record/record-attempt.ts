import type { Logger } from 'pino'
import type { AccessUnit, RecordedFile, RecordingEvent, RecordService, Subscriber, Track } from 'sluice/sdk'
import type { MediaFileWriter } from './media-file-writer.ts'
import type { StoredFiles } from '../files/stored-files.ts'
import { recordedFile } from '../catalogue/catalogue-lists.ts'
import type { WantedRecording } from './record-rules.ts'
import type { ServerClock } from './server-clock.ts'
import type { HandedRecording, RunningRecording } from './hand-over.ts'
import { StreamDates, type KeptDates } from './stream-dates.ts'
import { StreamCutter, type FileStart } from './stream-cutter.ts'

export type RecordAttemptOptions = {
  readonly wanted: WantedRecording
  readonly service: RecordService
  readonly files: StoredFiles
  readonly log: Logger
  readonly mode: 'auto' | 'event'
  readonly event: RecordingEvent | undefined
  readonly clock: ServerClock
  /** Returns the server's uptime at which the recording is over, from the one at which it began. It may change meanwhile. */
  readonly untilMs: (beganMs: number) => number
  /** Called with the path of each file that was begun. */
  readonly began: (filePath: string) => void
  readonly failed: (error: Error) => void
  readonly over: () => void
  readonly recorded: (file: RecordedFile) => void
  /** Called when another recording has continued this one, and the last file has ended. */
  readonly handedOver: () => void
  /** The recording of an earlier generation that this one continues. */
  readonly former?: Pick<RunningRecording, 'endAfter'> | undefined
}

/** One attempt of a job: records the units of a subscriber in files with dates. */
export class RecordAttempt {
  readonly #options: RecordAttemptOptions
  readonly #cutter: StreamCutter
  #dates: StreamDates | undefined
  /** The units that came in the same turn of the event loop as the first one: those that the stream keeps for late subscribers. */
  #replayed: AccessUnit[] | undefined
  /** Resolves when the replayed units were recorded. */
  #opening: Promise<void> | undefined
  /** The state of the former recording at its end; undefined once this one has begun. */
  #former: Promise<HandedRecording> | undefined
  readonly #handed = Promise.withResolvers<HandedRecording>()
  /** True once the subscriber was moved to another stream: its times then differ from those of new subscribers. */
  #isMoved = false
  /** The files that have not ended, each with the date of the server's uptime 0 that its dates are computed from. */
  readonly #files = new Map<MediaFileWriter, number>()
  /** The uptime at which it began. */
  #beganMs = 0
  /** The uptime up to which its files have dates. */
  #latestMs = -Infinity
  /** True when the next file begins where the former one ends, and a hand-over lies between them. */
  #isContinuous = false
  #writtenBytes = 0
  #leftOut = ''
  /** True once units have come. */
  #isOpen = false
  #isTimeOver = false
  /** True once another recording has continued this one; late sound may come. */
  #isHandedOver = false
  /** True once it takes no more units. */
  #isOver = false

  constructor(options: RecordAttemptOptions) {
    this.#options = options
    this.#cutter = new StreamCutter({
      service: options.service,
      fragmentMs: () => (options.wanted.rule.append ? 0 : options.wanted.rule.fragment),
      isCutDue: () => !options.wanted.rule.append && this.#dates?.isClockSet === true,
      open: (start) => this.#begin(start),
      ended: (file) => this.#ended(file),
      // A recording that is over begins no more files; that is no failure.
      failed: (error) => this.#isOver || options.failed(error),
      leftOut: (tracks) => this.#tellLeftOut(tracks),
      handedOver: (baseMs, isContinuous) => this.#handOver(baseMs, isContinuous),
      finished: () => void this.#finish(),
    })
  }

  /** The file that is being written. */
  get file(): RecordedFile | undefined {
    const entry = this.#cutter.file?.entry
    return entry && recordedFile(entry)
  }

  /** The bytes of all files so far. */
  get writtenBytes(): number {
    return this.#writtenBytes + (this.#cutter.file?.entry.sizeBytes ?? 0)
  }

  begin(subscriber: Pick<Subscriber, 'read' | 'onSource'>): void {
    const cutter = this.#cutter
    subscriber.onSource(() => (this.#isMoved = true))
    subscriber.read({
      track: (track) => this.#inOrder(() => cutter.track(track)),
      trackRemoved: (track) => this.#inOrder(() => cutter.trackRemoved(track)),
      unit: (unit) => this.#take(unit),
      discontinuity: () => this.#inOrder(() => cutter.discontinuity()),
      sourceEnded: () => this.#inOrder(() => cutter.sourceEnded()),
    })
  }

  /** Ends the attempt with an error. */
  fail(error: Error): void {
    this.#options.failed(error)
  }

  /** See `RunningRecording.endAfter`. */
  endAfter(timeMs: number): Promise<HandedRecording> {
    // After a move, its times differ from the caller's: it ends at its next keyframe.
    this.#cutter.endAfter(this.#isMoved ? -Infinity : timeMs)
    return this.#handed.promise
  }

  /** Ends its file. Never rejects. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#cutter.close()
    void this.#tellHanded()
  }

  #take(unit: AccessUnit): Promise<void> | undefined {
    if (this.#opening !== undefined) return this.#opening.then(() => this.#unit(unit))
    if (this.#replayed !== undefined) this.#replayed.push(unit)
    else if (this.#isOpen) return this.#unit(unit)
    else {
      this.#isOpen = true
      this.#replayed = [unit]
      queueMicrotask(() => this.#open())
    }
    return undefined
  }

  /** Runs `act` after the units that came before it. */
  #inOrder(act: () => Promise<void> | void): Promise<void> | void {
    if (this.#replayed !== undefined) this.#open()
    return this.#opening === undefined ? act() : this.#opening.then(act)
  }

  /** Records the replayed units. They came in one turn of the event loop, so the newest one has the present time. */
  #open(): void {
    const units = this.#replayed
    const [first] = units ?? []
    if (units === undefined || first === undefined) return
    this.#replayed = undefined
    const newestMs = this.#cutter.newestOf(units)?.dtsMs ?? first.dtsMs
    const { former, clock } = this.#options
    if (former === undefined) {
      this.#dates = new StreamDates(Math.max(...units.map(({ dtsMs }) => dtsMs)), clock)
      this.#beganMs = this.#dates.uptimeOf(first.dtsMs)
    } else {
      this.#cutter.beginAfter(newestMs)
      this.#former = former.endAfter(newestMs)
      void this.#former.then(({ isOver }) => isOver && this.#end())
    }
    const opening = this.#takeAll(units).finally(() => {
      if (this.#opening === opening) this.#opening = undefined
    })
    this.#opening = opening
  }

  async #takeAll(units: readonly AccessUnit[]): Promise<void> {
    try {
      for (const unit of units) await this.#unit(unit)
    } catch (error) {
      this.#options.failed(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #unit(unit: AccessUnit): Promise<void> | undefined {
    if (this.#isOver) return undefined
    // A recording that continues another one has its dates, and its end, from that one.
    const uptimeMs = this.#dates?.uptimeOf(unit.dtsMs) ?? -Infinity
    if (!this.#isHandedOver && uptimeMs >= this.#options.untilMs(this.#beganMs)) {
      this.#end()
      return undefined
    }
    return this.#cutter.unit(unit)
  }

  #end(): void {
    this.#isOver = true
    this.#isTimeOver = true
    this.#options.over()
  }

  async #begin({ tracks, baseMs }: FileStart): Promise<MediaFileWriter> {
    const { wanted, files, service, mode, event } = this.#options
    const dates = await this.#datesAt(baseMs)
    const latestMs = this.#latestAt(baseMs)
    const startMs = this.#isContinuous ? latestMs + dates.zeroMs : dates.adjust(baseMs, latestMs)
    this.#isContinuous = false
    const { zeroMs } = dates
    const file = await files.create({ wanted, service, tracks, baseMs, startMs, clockMs: zeroMs, mode, event })
    this.#files.set(file, zeroMs)
    this.#options.began(file.entry.filePath)
    return file
  }

  /** Returns the dates of its files. For the first file, waits until the former recording hands its dates over. */
  async #datesAt(baseMs: number): Promise<StreamDates> {
    const handed = await this.#former
    if (handed?.isOver === true) throw new Error('the recording is over')
    this.#former = undefined
    if (this.#dates !== undefined) return this.#dates
    const dates = new StreamDates(baseMs, this.#options.clock, handed?.dates)
    this.#dates = dates
    this.#beganMs = handed?.dates?.beganMs ?? dates.uptimeOf(baseMs)
    this.#latestMs = handed?.dates?.latestMs ?? -Infinity
    this.#isContinuous = handed?.dates?.isContinuous ?? false
    return dates
  }

  /** Returns the latest uptime of its files, of which the newest one ends at `baseMs`. */
  #latestAt(baseMs: number): number {
    // The former file may still get late sound.
    for (const [file, zeroMs] of this.#files) this.#latestMs = Math.max(this.#latestMs, file.dateOf(baseMs) - zeroMs)
    return this.#latestMs
  }

  /** Hands over to another recording at this time; with `append`, once the file is finished. */
  #handOver(baseMs: number, isContinuous: boolean): void {
    this.#latestAt(baseMs)
    this.#isHandedOver = true
    this.#isContinuous = isContinuous
    if (!this.#options.wanted.rule.append) void this.#tellHanded()
  }

  /** Ends the attempt after a hand-over, when the last file has ended. */
  async #finish(): Promise<void> {
    await this.#options.files.settled()
    await this.#tellHanded()
    this.#options.handedOver()
  }

  async #tellHanded(): Promise<void> {
    // A recording that has not begun yet hands on the dates of the former one.
    const before = await this.#former
    const dates = this.#dates === undefined ? before?.dates : this.#keptDates(this.#dates)
    this.#handed.resolve({ dates, isOver: this.#isTimeOver })
  }

  #keptDates({ shiftMs, zeroMs }: StreamDates): KeptDates {
    return {
      zeroMs,
      shiftMs: this.#isMoved ? undefined : shiftMs,
      beganMs: this.#beganMs,
      latestMs: this.#latestMs,
      isContinuous: this.#isContinuous,
    }
  }

  #ended(file: MediaFileWriter): void {
    const { files, log, recorded } = this.#options
    const { entry, dropped, error } = file
    this.#latestMs = Math.max(this.#latestMs, entry.endMs - (this.#files.get(file) ?? 0))
    this.#files.delete(file)
    this.#writtenBytes += entry.sizeBytes
    if (dropped > 0) log.warn({ file: entry.filePath, dropped }, 'units were left out that could not be recorded')
    if (error !== undefined) log.debug({ err: error, file: entry.filePath }, 'the file was not finished')
    if (files.finish(entry)) recorded(recordedFile(entry))
  }

  /** Logs tracks that the container can't carry, once for the same tracks. */
  #tellLeftOut(tracks: readonly Track[]): void {
    const leftOut = tracks.map(({ codec }) => codec)
    if (this.#leftOut === leftOut.join()) return
    this.#leftOut = leftOut.join()
    const { log, wanted } = this.#options
    log.warn({ leftOut }, `recordings of type ${wanted.type} have no place for some tracks`)
  }
}
