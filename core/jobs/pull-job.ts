import { isDeepStrictEqual } from 'node:util'
import {
  maskUrl,
  StreamNotFound,
  type CloseReason,
  type Publisher,
  type PullEnd,
  type PullRequest,
  type PullService,
  type PullWish,
  type RunningPull,
  type JobOutcome,
  type JobProgress,
} from 'sluice/sdk'
import type { Job } from 'sluice/sdk/host'
import type { ServiceJobs } from './service-job.ts'
import { findSourceFile, namesFile } from './source-file.ts'

type PullJobOptions = {
  readonly by: ServiceJobs<PullService>
  readonly starter: string | undefined
  /** Returns true when a path has subscribers that are not passive, including those that wait. */
  isWatched(streamPath: string): boolean
  /** The folders with files that may be played. */
  folders(): readonly string[]
  /** Called when a try has failed. */
  failed(wish: PullWish): void
}

/** One pull: its tries, and its place in the task tree. */
export class PullJob implements RunningPull {
  #wish: PullWish
  readonly origin: string
  readonly #options: PullJobOptions
  readonly #job: Job
  #publisher: Publisher | undefined
  #ending = false

  /** The pull begins when `after`, the end of the pull that had the path before, has settled. */
  constructor(wish: PullWish, options: PullJobOptions, after?: Promise<void>) {
    this.#wish = wish
    this.origin = wish.origin ?? (wish.isLasting === true ? 'plugin' : 'subscriber')
    this.#options = options
    this.#job = options.by.start({
      wish,
      origin: this.origin,
      url: maskUrl(wish.rule.url),
      attempt: (service, signal, isReplaced) => this.#attempt(service, signal, isReplaced),
      isWanted: () => this.#isWanted(),
      movedBytes: () => this.#publisher?.writtenBytes ?? 0,
      failed: () => options.failed(wish),
      after,
    })
  }

  /** The plugin that has started it; undefined for a pull that subscribers have asked for. */
  get starter(): string | undefined {
    return this.#options.starter
  }

  get wish(): PullWish {
    return this.#wish
  }

  get progress(): JobProgress {
    return this.#job.progress
  }

  /** The job with its tries. */
  get job(): Job {
    return this.#job
  }

  /** Resolves when the stream has its first track. */
  get begun(): Promise<void> {
    return this.#job.begun
  }

  get steps(): Job['steps'] {
    return this.#job.steps
  }

  does({ plugin, rule, publish }: PullWish): boolean {
    return plugin === this.#wish.plugin && isDeepStrictEqual([rule, publish], [this.#wish.rule, this.#wish.publish])
  }

  /** Applies the wish's limits of the time without subscribers: `isLasting` from the next try, `publish` from the next publisher on. */
  adapt({ publish, isLasting = false }: PullWish): void {
    this.#wish = { ...this.#wish, publish, isLasting }
  }

  /** True while media of the pull flows. */
  get isPublishing(): boolean {
    return this.#job.state === 'running' && !this.ending
  }

  /** True once the pull was stopped or its publisher closed, while the source is being left: it brings no stream any more. */
  get ending(): boolean {
    return this.#ending || this.#job.stopping
  }

  stop(reason: string): void {
    this.#job.stop(reason)
  }

  retryNow(): void {
    this.#job.retryNow()
  }

  #isWanted(): boolean {
    const { streamPath, isLasting = false } = this.#wish
    return isLasting || this.#options.isWatched(streamPath)
  }

  async #attempt(service: PullService, signal: AbortSignal, isReplaced: () => boolean): Promise<JobOutcome> {
    this.#ending = false
    this.#publisher = undefined
    const ending = new AbortController()
    try {
      const end = await service.pull(await this.#request(service, AbortSignal.any([signal, ending.signal])))
      if (end.by === 'server' && end.reason.code === 'unloaded' && isReplaced()) return 'replaced'
      return this.#outcomeOf(end)
    } catch (error) {
      const isPlayed = this.#wish.openRecording !== undefined && !isReplaced()
      if (!isPlayed || !(error instanceof StreamNotFound)) throw error
      // A viewer has asked for a time at which nothing was recorded, which is no failure.
      this.#options.failed(this.#wish)
      this.#job.log.info({ reason: error.message }, 'nothing is played')
      return { over: error.message }
    } finally {
      ending.abort()
    }
  }

  async #request(service: PullService, signal: AbortSignal): Promise<PullRequest> {
    const { plugin, streamPath, rule, publish, args, openRecording } = this.#wish
    const { url, header, loop, proxy } = rule
    const isFile = openRecording === undefined && namesFile(url, service.files ?? [])
    const observer = {
      published: (publisher: Publisher) => this.#published(publisher),
      track: () => this.#job.succeeded(),
    }
    const client = { ip: '', port: 0, userAgent: `${plugin} pull` }
    return {
      url,
      header,
      loop,
      signal,
      file: isFile ? await findSourceFile(url, this.#options.folders()) : undefined,
      recording: await openRecording?.(args, signal),
      session: {
        streamPath,
        type: openRecording === undefined ? 'pull' : 'vod',
        url: '',
        query: '',
        client,
        signal,
      },
      options: {
        config: publish,
        observer,
        unlisted: rule.testmode === 1,
        personal: openRecording !== undefined,
      },
      args: {
        ...rule.args,
        ...args,
      },
      dial: this.#options.by.dialer(proxy),
      step: (name, description) => this.#job.steps.begin(name, description),
    }
  }

  #published(publisher: Publisher): void {
    this.#publisher = publisher
    // A source that sent no media is tried again.
    publisher.onClose(({ code }: CloseReason) => (this.#ending = code !== 'timeout'))
  }

  #outcomeOf(end: PullEnd): JobOutcome {
    // A source that sends no media is at fault.
    if (end.by === 'server' && end.reason.code === 'timeout') return { failure: 'no media came' }
    const reason = end.by === 'server' ? end.reason.text : 'the source is over'
    this.#job.log.info({ reason }, 'the pull has ended')
    return { over: reason }
  }
}
