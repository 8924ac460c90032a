import {
  SluiceError,
  messageOf,
  type CloseReason,
  type Job,
  type JobOutcome,
  type PluginContext,
  type RecordedFile,
  type RecordService,
  type SessionInit,
  type Subscriber,
} from 'sluice/sdk'
import type { StoredFiles } from '../files/stored-files.ts'
import type { EventTerms, HandedRecording, RecordOrigin, RunningRecording } from './hand-over.ts'
import type { WantedRecording } from './record-rules.ts'
import type { ServerClock } from './server-clock.ts'
import { RecordAttempt } from './record-attempt.ts'

export type RecordJobOptions = {
  readonly ctx: Pick<PluginContext<unknown>, 'log' | 'jobs' | 'streams'>
  readonly files: StoredFiles
  readonly clock: ServerClock
  /** Returns the present service of a type; each attempt uses the newest generation of its plugin. */
  service(type: string): RecordService | undefined
  /** Returns the reason for which a plugin may write nothing at present; undefined when there is none. */
  fullness(plugin: string): string | undefined
  /** Called with each file that has ended. */
  recorded(file: RecordedFile): void
  /** Returns true while recordings that fail are tried again. */
  isTaking(): boolean
}

/** The terms of a recording that is to begin. */
export type RecordJobInit = {
  readonly wanted: WantedRecording
  readonly origin: RecordOrigin
  readonly eventTerms?: EventTerms | undefined
  /** The recording of an earlier generation that this one continues. */
  readonly former?: RunningRecording | undefined
}

/** The retry policy of recordings that fail, as on a full disk: they are tried again as long as the stream is there. */
const POLICY = { maxretry: -1, retryinterval: 5000 }
/** The reason for the end of a recording that another generation continues. */
const GOES_ON = 'another generation goes on with it'
/** The bounds of the subscriber's queue while it waits for the disk; beyond them, pictures are dropped. */
const QUEUE = { queuesize: 64 * 1024 * 1024, queuetime: 60_000, stalltimeout: 0 }

/** One recording of one stream: its attempts, its files, and its task in the task tree. */
export class RecordJob implements RunningRecording {
  readonly wanted: WantedRecording
  readonly origin: RecordOrigin
  readonly job: Job
  readonly startMs: number
  readonly eventTerms: EventTerms | undefined
  readonly #options: RecordJobOptions
  readonly #formerIds: readonly number[]
  /** The recording that it continues, until that one has ended. */
  #former: RunningRecording | undefined
  readonly #beginning = Promise.withResolvers<void>()
  #current: RecordAttempt | undefined
  #isTimeOver = false
  #isHandedOver = false
  /** The path of the latest file. */
  #filePath = ''
  /** The error of the latest attempt that has failed. */
  #failure: unknown

  constructor({ wanted, origin, eventTerms, former }: RecordJobInit, options: RecordJobOptions) {
    const { plugin, streamPath, type, rule } = wanted
    this.wanted = wanted
    this.origin = origin
    this.eventTerms = eventTerms
    this.startMs = former?.startMs ?? Date.now()
    this.#former = former
    this.#formerIds = former?.taskIds ?? []
    this.#options = options
    this.#beginning.promise.catch(() => {})
    const { log, jobs, streams } = options.ctx
    this.job = jobs.start({
      log: log.child({ stream: streamPath, recording: type }),
      task: {
        kind: 'record',
        streamPath,
        plugin,
        description: type,
      },
      changing: () => this.#told(),
      description: {
        kind: 'record',
        type,
        filePath: rule.filepath,
        fragment: `${rule.fragment / 1e3}s`,
        origin,
      },
      policy: POLICY,
      attempt: (signal) => this.#attempt(signal),
      isWanted: () => options.isTaking() && streams.get(streamPath) !== undefined,
      movedBytes: () => this.#current?.writtenBytes ?? 0,
      continues: former?.job,
    })
    if (former !== undefined) this.#goOnWith(former)
  }

  #goOnWith(former: RunningRecording): void {
    former.release()
    void former.done.then(() => (this.#former = undefined))
    // A stop of the task also stops the recording that it continues.
    void this.job.done.then(() => this.#isHandedOver || this.#former?.stop('it was stopped'))
  }

  get mode(): 'auto' | 'event' {
    return this.eventTerms === undefined ? 'auto' : 'event'
  }

  /** Resolves when the first file was begun. Rejects when the first attempt has failed; others may follow. */
  get beginning(): Promise<void> {
    return this.#beginning.promise
  }

  get file(): RecordedFile | undefined {
    return this.#current?.file ?? this.#former?.file
  }

  get taskIds(): readonly number[] {
    return [...this.#formerIds, this.job.id]
  }

  get done(): Promise<void> {
    return this.#allDone()
  }

  async #allDone(): Promise<void> {
    await Promise.all([this.job.done, this.#former?.done])
  }

  /** True when it has ended before its stream: by its duration, or by a stop. */
  get wasEnded(): boolean {
    return this.#isTimeOver || this.job.stopping
  }

  /** True once another generation continues it. */
  get isHandedOver(): boolean {
    return this.#isHandedOver
  }

  /** The error of the latest failed attempt, when it is one that the API shows; undefined otherwise. */
  get failure(): SluiceError | undefined {
    return this.#failure instanceof SluiceError ? this.#failure : undefined
  }

  release(): void {
    this.#isHandedOver = true
    this.#beginning.resolve()
    if (this.#current === undefined) this.job.stop(GOES_ON)
  }

  async endAfter(timeMs: number): Promise<HandedRecording> {
    const current = this.#current ?? this.#former
    return current?.endAfter(timeMs) ?? { dates: undefined, isOver: false }
  }

  stop(reason: string): void {
    this.#former?.stop(reason)
    this.job.stop(reason)
  }

  /** Ends the files, since nothing may be written at present; the job tries again. */
  interrupt(reason: string): void {
    this.#former?.interrupt(reason)
    this.#current?.fail(new Error(reason))
  }

  /** Returns the properties of the task that name the latest file; there may be none yet. */
  #told(): { readonly description: string; readonly filePath: string } {
    const { type } = this.wanted
    return { description: this.#filePath === '' ? type : `${type} in ${this.#filePath}`, filePath: this.#filePath }
  }

  async #attempt(signal: AbortSignal): Promise<JobOutcome> {
    const outcome = await this.#try(signal).catch((error: unknown): JobOutcome => {
      this.#failure = error
      return { failure: messageOf(error) }
    })
    if (this.#isHandedOver) return { over: GOES_ON }
    if (outcome !== 'replaced' && 'failure' in outcome) this.#beginning.reject(new Error(outcome.failure))
    return outcome
  }

  async #try(signal: AbortSignal): Promise<JobOutcome> {
    const { plugin, type, rule } = this.wanted
    const { files, clock } = this.#options
    const service = this.#options.service(type)
    if (service === undefined) return { failure: `no plugin records ${type} at present` }
    const full = this.#options.fullness(plugin)
    if (full !== undefined) return { failure: full, isKnown: true }
    const subscriber = await this.#subscribe(signal)
    const ended = Promise.withResolvers<JobOutcome>()
    const current = new RecordAttempt({
      wanted: this.wanted,
      service,
      log: this.job.log,
      files,
      clock,
      event: this.eventTerms?.event,
      mode: this.mode,
      former: this.#former,
      untilMs: (beganMs) => this.eventTerms?.untilMs ?? (rule.duration === 0 ? Infinity : beganMs + rule.duration),
      began: (filePath) => {
        this.#filePath = filePath
        this.#beginning.resolve()
        this.job.succeeded()
      },
      failed: (error) => ended.resolve({ failure: failureText(error) }),
      over: () => {
        this.#isTimeOver = true
        ended.resolve({ over: 'its time is over' })
      },
      recorded: (file) => this.#options.recorded(file),
      handedOver: () => ended.resolve({ over: GOES_ON }),
    })
    this.#current = current
    subscriber.onClose((reason) => ended.resolve(outcomeOf(reason)))
    const stop = () => ended.resolve({ over: 'it was stopped' })
    signal.addEventListener('abort', stop)
    try {
      if (signal.aborted) stop()
      current.begin(subscriber)
      return await ended.promise
    } finally {
      signal.removeEventListener('abort', stop)
      await current.close()
      subscriber.close('the recording has ended')
      this.#current = undefined
    }
  }

  #subscribe(signal: AbortSignal): Promise<Subscriber> {
    const { plugin, streamPath, type } = this.wanted
    // A recording that is continued has the media before already.
    const buffertime = this.#former === undefined ? (this.eventTerms?.beforeMs ?? 0) : 0
    const session: SessionInit = {
      streamPath,
      type: 'vod',
      url: '',
      query: '',
      signal,
      client: {
        ip: '',
        port: 0,
        userAgent: `${type} recording`,
      },
      passive: this.origin === 'rule',
    }
    const config = { ...QUEUE, buffertime, submode: 0 as const }
    return this.#options.ctx.streams.subscribe(session, { plugin, config })
  }
}

function outcomeOf({ code, text }: CloseReason): JobOutcome {
  return code === 'slow' || code === 'failed' ? { failure: text } : { over: text }
}

/** Returns the text of an error for operators, without the paths in the messages of the system's errors. */
function failureText(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full'
  return code === '' ? error.message : `the file could not be written: ${code}`
}
