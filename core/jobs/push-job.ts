import {
  maskTarget,
  type CloseCode,
  type CloseReason,
  type JobOutcome,
  type JobProgress,
  type JobState,
  type PushRequest,
  type PushService,
  type PushWish,
  type RunningPush,
} from 'sluice/sdk'
import type { Job } from 'sluice/sdk/host'
import type { ServiceJobs } from './service-job.ts'

/** The query of a session that takes no sound. */
const NO_AUDIO = 'subaudio=false'

/** The close codes of a push's subscriber when the stream is over, or an operator has stopped it. */
const ENDS: ReadonlySet<CloseCode> = new Set(['timeout', 'stopped'])

type PushJobOptions = {
  readonly by: ServiceJobs<PushService>
  isPublished(streamPath: string): boolean
  /** Returns the bytes sent to a subscriber so far. */
  sentBytes(subscriberId: number): number
  /** Called when a try has failed. */
  failed(wish: PushWish): void
}

/** One push: its tries, and its place in the task tree. It is over when the stream is. */
export class PushJob implements RunningPush {
  readonly wish: PushWish
  readonly origin: string
  readonly job: Job
  readonly #options: PushJobOptions
  #subscriberId: number | undefined
  #ending = false

  /** The push begins when `after`, the end of the same push before, has settled. */
  constructor(wish: PushWish, options: PushJobOptions, after?: Promise<void>) {
    this.wish = wish
    this.origin = wish.origin ?? 'plugin'
    this.#options = options
    this.job = options.by.start({
      wish,
      origin: this.origin,
      url: maskTarget(wish.rule.url),
      attempt: (service, signal, isReplaced) => this.#attempt(service, signal, isReplaced),
      isWanted: () => options.isPublished(wish.streamPath),
      movedBytes: () => (this.#subscriberId === undefined ? 0 : options.sentBytes(this.#subscriberId)),
      failed: () => options.failed(wish),
      after,
    })
  }

  /** True once the push was stopped or the stream ended, while the target is being left: it sends nothing any more. */
  get ending(): boolean {
    return this.#ending || this.job.stopping
  }

  get progress(): JobProgress {
    return this.job.progress
  }

  get begun(): Promise<void> {
    return this.job.begun
  }

  get state(): JobState | undefined {
    return this.job.state
  }

  stop(reason: string): void {
    this.job.stop(reason)
  }

  retryNow(): void {
    this.job.retryNow()
  }

  async #attempt(service: PushService, signal: AbortSignal, isReplaced: () => boolean): Promise<JobOutcome> {
    const { plugin, streamPath, rule, isSilent = false } = this.wish
    this.#subscriberId = undefined
    this.#ending = false
    const request: PushRequest = {
      url: rule.url,
      header: rule.header,
      signal,
      session: {
        streamPath,
        type: 'push',
        url: '',
        query: isSilent ? NO_AUDIO : '',
        signal,
        client: {
          ip: '',
          port: 0,
          userAgent: `${plugin} push`,
        },
      },
      dial: this.#options.by.dialer(rule.proxy),
      step: (name, description) => this.job.steps.begin(name, description),
      begun: (subscriber) => {
        this.#subscriberId = subscriber.id
        subscriber.onClose(({ code }) => (this.#ending = ENDS.has(code)))
        this.job.succeeded()
      },
    }
    const reason = await service.push(request)
    return this.#outcomeOf(reason, isReplaced())
  }

  #outcomeOf({ code, text }: CloseReason, replaced: boolean): JobOutcome {
    if (code === 'unloaded' && replaced) return 'replaced'
    if (code === 'slow' || code === 'failed') return { failure: text }
    this.job.log.info({ reason: text }, 'the push has ended')
    return { over: text }
  }
}
