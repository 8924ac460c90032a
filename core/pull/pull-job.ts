import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { maskUrl, type CloseReason, type PullEnd, type PullService, type Task, type TaskRegistry } from 'sluice/sdk'
import { messageOf } from '../base/message-of.ts'
import type { WantedPull } from './pull-rules.ts'

/** Whatever the rule says, a source that fails at once is not asked without a pause. */
const MIN_RETRY_INTERVAL_MS = 20

/** Who wants a pull: a rule for ever, subscribers while there are some, an operator once. */
export type PullOrigin = 'rule' | 'subscriber' | 'operator'

type PullJobOptions = {
  readonly log: Logger
  readonly tasks: TaskRegistry
  /** The service of a plugin at present; each try takes that of the newest generation. */
  service(plugin: string): PullService | undefined
  /** Whether anybody has the path or waits for it. */
  isWatched(streamPath: string): boolean
}

/** One pull: its tries, and its place in the task tree. */
export class PullJob {
  readonly wanted: WantedPull
  readonly origin: PullOrigin
  readonly #options: PullJobOptions
  readonly #log: Logger
  readonly #task: Task
  readonly #begun = Promise.withResolvers<void>()
  #failures = 0
  #ending = false

  /** Begins when `after`, the pull that had the path before, has ended. */
  constructor(
    wanted: WantedPull,
    origin: PullOrigin,
    options: PullJobOptions,
    after: Promise<void> = Promise.resolve(),
  ) {
    const { plugin, streamPath, rule } = wanted
    const url = maskUrl(rule.url)
    this.wanted = wanted
    this.origin = origin
    this.#options = options
    this.#log = options.log.child({ plugin, stream: streamPath, url })
    this.#begun.promise.catch(() => {})
    this.#task = options.tasks.start({
      owner: streamPath,
      description: { kind: 'pull', protocol: plugin, url, origin },
      run: async (signal) => {
        await after
        await this.#run(signal)
      },
    })
  }

  /** Resolves when the stream has its first track, and rejects when the pull ended without. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  /** Settles when it has ended for good; never rejects. */
  get done(): Promise<void> {
    return this.#task.done
  }

  does({ plugin, rule, publish }: WantedPull): boolean {
    return plugin === this.wanted.plugin && isDeepStrictEqual([rule, publish], [this.wanted.rule, this.wanted.publish])
  }

  /** The stream has a track: failures from now on are counted anew. */
  succeeded(): void {
    this.#failures = 0
    this.#begun.resolve()
  }

  /** True once its publisher was closed, while the source is being left: it brings no stream any more. */
  get ending(): boolean {
    return this.#ending
  }

  /** Takes note that the stream has lost its publisher. */
  unpublished({ code }: CloseReason): void {
    // When no media came it is tried again.
    this.#ending = code !== 'timeout'
  }

  stop(reason: string): void {
    this.#task.stop(reason)
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { maxretry, retryinterval } = this.wanted.rule
    this.#failures = 0
    for (;;) {
      const failure = await this.#try(signal)
      if (failure === undefined || signal.aborted) break
      if (failure === 'replaced') continue
      this.#failures += 1
      const last = (maxretry >= 0 && this.#failures > maxretry) || !this.#isWanted()
      this.#log[last ? 'error' : 'warn']({ failures: this.#failures }, `the pull failed: ${failure}`)
      if (last) {
        this.#begun.reject(new Error(failure))
        break
      }
      await delay(Math.max(retryinterval, MIN_RETRY_INTERVAL_MS), undefined, { signal }).catch(() => {})
      if (signal.aborted || !this.#isWanted()) break
    }
    this.#begun.reject(new Error('the pull has ended'))
  }

  /** Undefined when the pull is over, else why it has to be tried again. */
  async #try(signal: AbortSignal): Promise<'replaced' | (string & {}) | undefined> {
    const { plugin, streamPath, rule, publish } = this.wanted
    this.#ending = false
    const service = this.#options.service(plugin)
    if (service === undefined) return `there is no plugin that pulls by ${plugin} at present`
    const replaced = () => this.#options.service(plugin) !== undefined && this.#options.service(plugin) !== service
    try {
      const { url, header, loop } = rule
      const end = await service.pull({ url, streamPath, header, loop, publish, signal })
      if (end.by === 'server' && replaced()) return 'replaced'
      return this.#reasonToRetry(end)
    } catch (error) {
      if (signal.aborted) return undefined
      return replaced() ? 'replaced' : messageOf(error)
    }
  }

  #reasonToRetry(end: PullEnd): string | undefined {
    // That no media comes is the source's fault.
    if (end.by === 'server' && end.reason.code === 'timeout') return 'no media came'
    this.#log.info({ reason: end.by === 'server' ? end.reason.text : 'the source is over' }, 'the pull has ended')
    return undefined
  }

  #isWanted(): boolean {
    return this.origin !== 'subscriber' || this.#options.isWatched(this.wanted.streamPath)
  }
}
