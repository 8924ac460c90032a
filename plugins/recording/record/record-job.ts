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
  /** The service of a type at present; each try takes that of the newest generation. */
  service(type: string): RecordService | undefined
  /** Why nothing may be written at present, if so. */
  fullness(plugin: string): string | undefined
  /** A file has ended. */
  recorded(file: RecordedFile): void
  /** True while recordings that fail are tried again. */
  isTaking(): boolean
}

/** A recording that is to be made: its rule, its origin, and the recording of an earlier generation that it goes on with. */
export type RecordJobInit = {
  readonly wanted: WantedRecording
  readonly origin: RecordOrigin
  readonly eventTerms?: EventTerms | undefined
  /** The recording of an earlier generation that this one goes on with. */
  readonly former?: RunningRecording | undefined
}

/** How a recording is tried again that fails, as on a full disk: for as long as the stream is there. */
const POLICY = { maxretry: -1, retryinterval: 5000 }
/** The end of a recording that another generation goes on with. */
const GOES_ON = 'another generation goes on with it'
/** The bounds of the queue of a reader that waits for the disk; beyond them pictures are left out. */
const QUEUE = { queuesize: 64 * 1024 * 1024, queuetime: 60_000, stalltimeout: 0 }

/** One recording: its tries, its files, and its place in the task tree. */
export class RecordJob implements RunningRecording {
  readonly wanted: WantedRecording
  readonly origin: RecordOrigin
  readonly job: Job
  readonly startMs: number
  readonly eventTerms: EventTerms | undefined
  readonly #options: RecordJobOptions
  readonly #formerIds: readonly number[]
  /** The one that it goes on with, until that has ended. */
  #former: RunningRecording | undefined
  readonly #beginning = Promise.withResolvers<void>()
  #current: RecordAttempt | undefined
  #isTimeOver = false
  #isHandedOver = false
  /** The path of the latest file. */
  #filePath = ''
  /** Why the latest try has failed. */
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
      continues: former?.isTold ?? false,
    })
    if (former !== undefined) this.#goOnWith(former)
  }

  #goOnWith(former: RunningRecording): void {
    former.release()
    void former.done.then(() => (this.#former = undefined))
    // Whoever stops the task means both.
    void this.job.done.then(() => this.#isHandedOver || this.#former?.stop('it was stopped'))
  }

  get mode(): 'auto' | 'event' {
    return this.eventTerms === undefined ? 'auto' : 'event'
  }

  /** Resolves when the first file was begun, and rejects when the first try has failed, after which others may follow. */
  get beginning(): Promise<void> {
    return this.#beginning.promise
  }

  get file(): RecordedFile | undefined {
    return this.#current?.file ?? this.#former?.file
  }

  get taskIds(): readonly number[] {
    return [...this.#formerIds, this.job.id]
  }

  get isTold(): boolean {
    return this.job.state === 'running' || this.#former?.isTold === true
  }

  get done(): Promise<void> {
    return this.#allDone()
  }

  async #allDone(): Promise<void> {
    await Promise.all([this.job.done, this.#former?.done])
  }

  /** True when it was ended before its stream: by its duration, or by somebody. */
  get wasEnded(): boolean {
    return this.#isTimeOver || this.job.stopping
  }

  /** True once another generation goes on with it. */
  get isHandedOver(): boolean {
    return this.#isHandedOver
  }

  /** Why the latest try has failed; undefined when none has. */
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

  /** Nothing may be written at present: the files end, and it is tried again. */
  interrupt(reason: string): void {
    this.#former?.interrupt(reason)
    this.#current?.fail(new Error(reason))
  }

  /** The latest file, as others are told of it; there may be none yet. */
  #told(): { readonly description: string; readonly filePath: string } {
    const { type } = this.wanted
    return { description: this.#filePath === '' ? type : `${type} in ${this.#filePath}`, filePath: this.#filePath }
  }

  async #attempt(signal: AbortSignal): Promise<JobOutcome> {
    const outcome = await this.#try(signal).catch((error: unknown): JobOutcome => {
      this.#failure = error
      return { failure: messageOf(error) }
    })
    if (this.#isHandedOver) return { over: GOES_ON, isContinued: true }
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
    // One that goes on has had what came before.
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

/** The text of an error for operators: errors of the system have paths in their messages. */
function failureText(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full'
  return code === '' ? error.message : `the file could not be written: ${code}`
}
