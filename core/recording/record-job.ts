import {
  SluiceError,
  type CloseReason,
  type JobOutcome,
  type RecordedFile,
  type RecordService,
  type RecordingEvent,
  type TaskRegistry,
} from 'sluice/sdk'
import type { Logger } from 'pino'
import type { StreamOwner } from '../auth/stream-owner.ts'
import { Job, type JobNotices } from 'sluice/sdk/host'
import type { JobMeters } from '../jobs/job-meters.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import type { StreamSubscriber } from '../stream/stream-subscriber.ts'
import type { RecordingFiles } from './recording-files.ts'
import type { WantedRecording } from './record-rules.ts'
import type { ServerClock } from './server-clock.ts'
import { StreamRecording } from './stream-recording.ts'

/** Who wants a recording: a rule, a plan or a proxy for as long as it says, an operator until it is stopped. */
export type RecordOrigin = 'rule' | 'operator' | 'event'

/** An event that is recorded by itself. It ends at an uptime of the server, whatever is done to the clock. */
export type EventTerms = { readonly event: RecordingEvent; readonly beforeMs: number; untilMs: number }

export type RecordJobOptions = {
  readonly log: Logger
  readonly tasks: TaskRegistry
  readonly notices: JobNotices
  readonly meters: JobMeters
  readonly streams: Pick<StreamRegistry, 'get' | 'subscribe'>
  readonly files: RecordingFiles
  readonly clock: ServerClock
  /** The service of a type at present; each try takes that of the newest generation. */
  service(type: string): RecordService | undefined
  /** As whose sessions those of recordings pass. */
  owner(plugin: string): StreamOwner | undefined
  /** Why nothing may be written at present, if so. */
  fullness(plugin: string): string | undefined
  /** A file has ended. */
  recorded(file: RecordedFile): void
}

/** How a recording is tried again that fails, as on a full disk: for as long as the stream is there. */
const POLICY = { maxretry: -1, retryinterval: 5000 }
/** What a reader that waits for the disk may have waiting before pictures are left out. */
const QUEUE = { queuesize: 64 * 1024 * 1024, queuetime: 60_000, stalltimeout: 0 }

/** One recording: its tries, its files, and its place in the task tree. */
export class RecordJob {
  readonly wanted: WantedRecording
  readonly origin: RecordOrigin
  readonly job: Job
  readonly startMs = Date.now()
  readonly eventTerms: EventTerms | undefined
  readonly #options: RecordJobOptions
  readonly #beginning = Promise.withResolvers<void>()
  #recording: StreamRecording | undefined
  #isTimeOver = false
  /** Of the latest file. */
  #filePath = ''
  /** Why the latest try has failed. */
  #failure: unknown

  constructor(wanted: WantedRecording, origin: RecordOrigin, options: RecordJobOptions, eventTerms?: EventTerms) {
    const { plugin, streamPath, type, rule } = wanted
    this.wanted = wanted
    this.origin = origin
    this.eventTerms = eventTerms
    this.#options = options
    this.#beginning.promise.catch(() => {})
    const { fragment, filepath } = rule
    this.job = new Job({
      log: options.log.child({
        plugin,
        stream: streamPath,
        recording: type,
      }),
      tasks: options.tasks,
      notices: options.notices,
      meter: options.meters.of('record', plugin),
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
        filePath: filepath,
        fragment: `${fragment / 1e3}s`,
        origin,
      },
      policy: POLICY,
      attempt: (signal) => this.#attempt(signal),
      isWanted: () => options.streams.get(streamPath) !== undefined,
      movedBytes: () => this.#recording?.writtenBytes ?? 0,
      failed: () => {},
    })
  }

  get mode(): 'auto' | 'event' {
    return this.eventTerms === undefined ? 'auto' : 'event'
  }

  /** Resolves when the first file was begun, and rejects when the first try has failed, after which others may follow. */
  get beginning(): Promise<void> {
    return this.#beginning.promise
  }

  /** The file that is being written. */
  get file(): RecordedFile | undefined {
    return this.#recording?.file
  }

  /** Whether it was ended before its stream: by its duration, or by somebody. */
  get wasEnded(): boolean {
    return this.#isTimeOver || this.job.stopping
  }

  /** Why the latest try has failed; undefined when none has. */
  get failure(): SluiceError | undefined {
    return this.#failure instanceof SluiceError ? this.#failure : undefined
  }

  /** Nothing may be written at present: the files end, and it is tried again. */
  interrupt(reason: string): void {
    this.#recording?.fail(new Error(reason))
  }

  /** The latest file, as others are told of it; there may be none yet. */
  #told(): { readonly description: string; readonly filePath: string } {
    const { type } = this.wanted
    return { description: this.#filePath === '' ? type : `${type} in ${this.#filePath}`, filePath: this.#filePath }
  }

  async #attempt(signal: AbortSignal): Promise<JobOutcome> {
    try {
      const outcome = await this.#try(signal)
      if (outcome !== 'replaced' && 'failure' in outcome) this.#beginning.reject(new Error(outcome.failure))
      return outcome
    } catch (error) {
      this.#failure = error
      this.#beginning.reject(error)
      throw error
    }
  }

  async #try(signal: AbortSignal): Promise<JobOutcome> {
    const { plugin, type, rule } = this.wanted
    const service = this.#options.service(type)
    const owner = this.#options.owner(plugin)
    if (service === undefined || owner === undefined) return { failure: `no plugin records ${type} at present` }
    const full = this.#options.fullness(plugin)
    if (full !== undefined) return { failure: full, isKnown: true }
    const subscriber = await this.#subscribe(owner, signal)
    const ended = Promise.withResolvers<JobOutcome>()
    const recording = new StreamRecording({
      wanted: this.wanted,
      service,
      log: this.job.log,
      files: this.#options.files,
      clock: this.#options.clock,
      event: this.eventTerms?.event,
      mode: this.mode,
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
    })
    this.#recording = recording
    subscriber.onClose((reason) => ended.resolve(outcomeOf(reason)))
    const stop = () => ended.resolve({ over: 'it was stopped' })
    signal.addEventListener('abort', stop)
    try {
      if (signal.aborted) stop()
      recording.begin(subscriber)
      return await ended.promise
    } finally {
      signal.removeEventListener('abort', stop)
      await recording.close()
      subscriber.close('the recording has ended')
      this.#recording = undefined
    }
  }

  #subscribe(owner: StreamOwner, signal: AbortSignal): Promise<StreamSubscriber> {
    const { streamPath } = this.wanted
    const beforeMs = this.eventTerms?.beforeMs ?? 0
    const subscribe = { ...owner.config.subscribe, ...QUEUE, buffertime: beforeMs, submode: 0 as const }
    const session = {
      streamPath,
      type: 'vod' as const,
      url: '',
      query: '',
      signal,
      client: {
        ip: '',
        port: 0,
        userAgent: `${this.wanted.type} recording`,
      },
      passive: this.origin === 'rule',
    }
    return this.#options.streams.subscribe(session, { ...owner, config: { ...owner.config, subscribe } }, () => {})
  }
}

function outcomeOf({ code, text }: CloseReason): JobOutcome {
  return code === 'slow' || code === 'failed' ? { failure: text } : { over: text }
}

/** What operators are told of the system's errors, which name paths. */
function failureText(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full'
  return code === '' ? error.message : `the file could not be written: ${code}`
}
