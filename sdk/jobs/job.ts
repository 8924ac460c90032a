import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { messageOf } from '../errors/error-text.ts'
import type { HookRegistry } from '../plugin/hooks.ts'
import type { Task, TaskRegistry } from '../plugin/tasks.ts'
import type { PullService } from '../stream/pull.ts'
import type { StreamTask, StreamTaskEnd } from '../stream/stream-task.ts'
import { backoffMs } from './backoff.ts'
import { Bitrate } from './bitrate.ts'
import type { JobProgress, JobState } from './job-progress.ts'
import { JobSteps } from './job-steps.ts'

/** The outcome of a try: its plugin was replaced, the work is over, or the try failed. */
export type JobOutcome =
  | 'replaced'
  | { readonly over: string }
  /** `isKnown` when the log has the cause already, such as a full disk, by which all jobs fail. */
  | { readonly failure: string; readonly isKnown?: boolean }

type Failure = Extract<JobOutcome, { readonly failure: string }>

/** The notices of a job: its work has begun, or has ended. */
export type JobNotices = {
  readonly taskBegan: (task: StreamTask) => void
  readonly taskEnded: (task: StreamTask, end: StreamTaskEnd) => void
}

/** Work on a stream that is tried again when it fails. */
export type JobInit = {
  /** The job's logger, with the fields that identify the job. */
  readonly log: Logger
  /** The task that the notices `taskBegan` and `taskEnded` carry. */
  readonly task: StreamTask
  /** Returns the present values of the task's properties that change while it goes on. */
  readonly changing?: () => Pick<StreamTask, 'description' | 'filePath'>
  /** The texts that operators see, with nothing secret; log lines call the job by `kind`. */
  readonly description: Readonly<Record<string, string>>
  /**
   * The number of failures in a row that are followed by another try (−1 is any number), and the first wait in milliseconds,
   * which doubles.
   */
  readonly policy: { readonly maxretry: number; readonly retryinterval: number }
  /** Tries once; a rejection is a failure. */
  readonly attempt: (signal: AbortSignal) => Promise<JobOutcome>
  /** Returns true while a failure is to be followed by another try. */
  readonly isWanted: () => boolean
  /** The bytes of media that the try has moved. */
  readonly movedBytes: () => number
  /** Called when a try has failed. */
  readonly failed?: () => void
  /**
   * The job of an earlier generation whose work it continues: the notices of both are those of one work, which begins when one of them
   * succeeds, and ends when both have ended.
   */
  readonly continues?: Job | undefined
  /** The end of the former job at its place, which this job waits for. */
  readonly after?: Promise<void> | undefined
}

/** Counts the jobs of one kind and plugin. */
export type JobMeter = {
  readonly tries: { add(): void }
  readonly failures: { add(): void }
  /** Returns the gauge of the jobs that are in a state. */
  in(state: string): { add(count: number): void }
}

/** A job, with the parts of the server that show and count it. */
export type JobOptions = JobInit & {
  readonly tasks: TaskRegistry
  readonly meter: JobMeter
  readonly notices: JobNotices
}

/** Work on a stream that is tried again when it fails, such as a pull or a recording: a task that operators see and can stop. */
export class Job {
  readonly steps = new JobSteps()
  readonly log: Logger
  /** Without the former jobs, which would keep their generations in memory. */
  readonly #options: Omit<JobOptions, 'continues' | 'after'>
  readonly #task: Task
  readonly #begun = Promise.withResolvers<void>()
  readonly #bitrate: Bitrate
  readonly #startTime = new Date()
  #state: JobState | undefined
  #tries = 0
  /** The number of failures in a row. */
  #failures = 0
  #lastError = ''
  #stopping = false
  /** The work, which jobs that continue one another share: its latest notice, and the jobs that have not ended. */
  readonly #work: { told: 'nothing' | 'began' | 'failed'; readonly jobs: Set<Job> }
  /** Aborts when the task is stopped or restarted. */
  #signal: AbortSignal | undefined
  /** Ends the wait for the next try. */
  #wake: (() => void) | undefined

  constructor({ continues, after, ...options }: JobOptions) {
    const { task, tasks } = options
    this.#options = options
    this.#work = continues === undefined ? { told: 'nothing', jobs: new Set() } : continues.#work
    this.log = options.log
    this.#bitrate = new Bitrate(options.movedBytes, performance.now())
    this.#begun.promise.catch(() => {})
    this.#become('waiting')
    this.#task = tasks.start({
      owner: task.streamPath,
      description: () => this.#describe(),
      run: async (signal) => {
        this.#signal = signal
        this.#work.jobs.add(this)
        await after
        await this.#run(signal)
      },
    })
    void this.#task.done.then(() => this.#become(undefined))
  }

  /** The id of its task. */
  get id(): number {
    return this.#task.id
  }

  /** The present state; undefined when it has ended. */
  get state(): JobState | undefined {
    return this.#state
  }

  /** The error of the latest try that failed; empty when none has. */
  get lastError(): string {
    return this.#lastError
  }

  get progress(): JobProgress {
    return {
      id: this.id,
      state: this.#state,
      startTime: this.#startTime,
      tries: this.#tries,
      lastError: this.#lastError,
      movedBytes: this.#options.movedBytes(),
      bitrate: this.#state === 'running' ? this.#bitrate.sample(performance.now()) : 0,
    }
  }

  /** True once it was stopped; it may still be leaving the other server. */
  get stopping(): boolean {
    return this.#stopping || this.#signal?.aborted === true
  }

  /** Resolves when media flows for the first time, and rejects when the job has ended without media. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  /** Resolves when it has ended for good; never rejects. */
  get done(): Promise<void> {
    return this.#task.done
  }

  /** Notes that media flows: failures from now on are counted anew. */
  succeeded(): void {
    this.#failures = 0
    this.#become('running')
    this.steps.complete()
    this.#begun.resolve()
    if (this.#work.told === 'began') return
    this.#work.told = 'began'
    this.#options.notices.taskBegan(this.#toldTask)
  }

  /** Logs a warning about headers when the protocol of a service has none, at the first try only. */
  checkHeader(
    header: Readonly<Record<string, unknown>>,
    { headerless = false }: Pick<PullService, 'headerless'>,
  ): void {
    if (!headerless || this.#tries > 1 || Object.keys(header).length === 0) return
    this.log.warn('the headers of the rule (header) are not sent: the protocol has none')
  }

  stop(reason: string): void {
    this.#stopping = true
    this.#task.stop(reason)
  }

  /** Tries again at once when it waits for the next try, since the other server is known to be there again. */
  retryNow(): void {
    this.#wake?.()
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#failures = 0
    let reason = ''
    while (!signal.aborted) {
      const outcome = await this.#try(signal)
      if (outcome === 'replaced') continue
      reason = 'over' in outcome ? outcome.over : outcome.failure
      if ('over' in outcome || signal.aborted || !(await this.#retries(outcome, signal))) break
    }
    this.#begun.reject(new Error('it has ended'))
    this.#over(signal.aborted ? messageOf(signal.reason) : reason)
  }

  /** Sends `taskEnded`, unless another job of the work goes on, or no notice was sent before and no try has failed. */
  #over(reason: string): void {
    const work = this.#work
    work.jobs.delete(this)
    if (work.jobs.size > 0) return
    const isNews = work.told !== 'nothing' || this.#failures > 0
    work.told = 'nothing'
    if (isNews) this.#options.notices.taskEnded(this.#toldTask, { reason, isRetried: false })
  }

  async #try(signal: AbortSignal): Promise<JobOutcome> {
    this.#tries += 1
    this.#options.meter.tries.add()
    this.#become('connecting')
    this.steps.restart()
    this.steps.begin('connect')
    try {
      return await this.#options.attempt(signal)
    } catch (error) {
      if (signal.aborted) return { over: messageOf(signal.reason) }
      return { failure: error instanceof Error ? error.message : 'it failed' }
    }
  }

  /** Waits for the next try; returns false when there is none. */
  async #retries({ failure, isKnown = false }: Failure, signal: AbortSignal): Promise<boolean> {
    const { policy, isWanted } = this.#options
    this.#failures += 1
    this.#options.meter.failures.add()
    this.#lastError = failure
    this.steps.complete(failure)
    const last = (policy.maxretry >= 0 && this.#failures > policy.maxretry) || !isWanted()
    this.log[isKnown ? 'debug' : last ? 'error' : 'warn'](
      { failures: this.#failures },
      `the ${this.#options.description['kind']} failed: ${failure}`,
    )
    this.#options.failed?.()
    if (last) {
      this.#begun.reject(new Error(failure))
      return false
    }
    this.#become('retrying')
    this.#failedForNow(failure)
    const waitMs = backoffMs(this.#failures, policy.retryinterval, Math.random())
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    // Only the signals end the wait early.
    await delay(waitMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => {})
    this.#wake = undefined
    return !signal.aborted && isWanted()
  }

  get #toldTask(): StreamTask {
    const { task, changing } = this.#options
    return changing === undefined ? task : { ...task, ...changing() }
  }

  #become(state: JobState | undefined): void {
    const { meter } = this.#options
    if (this.#state !== undefined) meter.in(this.#state).add(-1)
    if (state !== undefined) meter.in(state).add(1)
    this.#state = state
  }

  #failedForNow(reason: string): void {
    if (this.#work.told === 'failed') return
    this.#work.told = 'failed'
    this.#options.notices.taskEnded(this.#toldTask, { reason, isRetried: true })
  }

  #describe(): Record<string, string> {
    const { state = 'ended', tries, bitrate, lastError } = this.progress
    return {
      ...this.#options.description,
      state,
      tries: String(tries),
      bitrate: `${Math.round(bitrate / 1000)} kbit/s`,
      ...(lastError !== '' && { lastError }),
    }
  }
}

/** Returns the notices of jobs as the hooks of the same names. */
export function jobNotices(hooks: Pick<HookRegistry, 'notify'>): JobNotices {
  return {
    taskBegan: (task) => hooks.notify('taskBegan', task),
    taskEnded: (task, end) => hooks.notify('taskEnded', task, end),
  }
}
