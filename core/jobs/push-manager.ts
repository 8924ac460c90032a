import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import {
  StreamNotFound,
  StreamUnavailable,
  type Dialer,
  type PushJobs,
  type PushService,
  type PushWish,
  type RuleSection,
  type TaskRegistry,
} from 'sluice/sdk'
import { jobNotices, PushExists, type JobNotices } from 'sluice/sdk/host'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { TaskTree } from '../observe/task-tree.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { awaitBegin } from './begin-wait.ts'
import { JobMeters } from './job-meters.ts'
import { PushJob, type PushOrigin } from './push-job.ts'
import { pushPlace, PushRules } from './push-rules.ts'

type PushManagerOptions = {
  readonly log: Logger
  readonly services: { get(name: string): unknown }
  readonly tasks: Pick<TaskTree, 'registryFor'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly streams: Pick<StreamRegistry, 'get' | 'list' | 'subscriber'>
  /** @param proxy its address; empty is none */
  readonly dialer: (proxy: string) => Dialer
  readonly meters?: JobMeters
}

/** All pushes of the server, one at a time for each stream and address: those of the rules, of proxies and of operators. */
export class PushManager implements PushJobs {
  readonly #options: PushManagerOptions
  readonly #tasks: TaskRegistry
  readonly #notices: JobNotices
  readonly #meters: JobMeters
  /** Those that have not ended, by place; the oldest first where one follows another that is ending. */
  readonly #jobs = new Map<string, PushJob[]>()
  readonly #failureListeners = new Set<(wish: PushWish) => void>()
  #rules = new PushRules([])
  #closed = false

  constructor(options: PushManagerOptions) {
    this.#options = options
    this.#meters = options.meters ?? new JobMeters()
    this.#tasks = options.tasks.registryFor({ plugin: 'pushes', log: options.log })
    const hooks = options.hooks.registryFor({ plugin: 'global', log: options.log })
    this.#notices = jobNotices(hooks)
    hooks.on('published', ({ path }) => this.#startRules(path))
  }

  /** Takes over the rules of the sections as they are now: starts what is new, ends what is gone, leaves the rest alone. */
  apply(sections: readonly RuleSection<'push'>[]): void {
    if (this.#closed) return
    this.#rules = new PushRules(sections)
    for (const push of this.#all()) {
      const wishes = this.#rules.match(push.wish.streamPath)
      if (push.origin === 'rule' && !wishes.some((other) => isDeepStrictEqual(other, push.wish))) {
        push.job.stop('its rule is gone')
      }
    }
    for (const { path } of this.#options.streams.list()) this.#startRules(path)
  }

  /** Calls `listener` each time a try of a push has failed. */
  onFailure(listener: (wish: PushWish) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** The number of pushes that have not ended. */
  get count(): number {
    return this.#all().length
  }

  /** Whether a plugin offers to push by this protocol. */
  canPush(protocol: string): boolean {
    return this.#service(protocol) !== undefined
  }

  /** The plugin that pushes to such an address, as its service says of itself; undefined when none says so. */
  protocolOf(url: string): string | undefined {
    const scheme = URL.parse(url)?.protocol.slice(0, -1)
    if (scheme === undefined) return undefined
    return this.#rules.plugins.find((plugin) => this.#service(plugin)?.schemes.includes(scheme))
  }

  /**
   * Starts a push for an operator, and waits a little for the target to take it.
   * @throws {StreamNotFound} when nobody publishes the stream
   * @throws {PushExists}
   * @throws {SluiceError} when the push failed (502), or the server is stopping (503)
   */
  async request(wish: PushWish): Promise<void> {
    if (this.#options.streams.get(wish.streamPath) === undefined) throw new StreamNotFound()
    await awaitBegin(this.start(wish, 'operator').job)
  }

  /**
   * Starts a push.
   * @throws {PushExists}
   * @throws {StreamUnavailable} the server is stopping
   */
  start(wish: PushWish, origin: PushOrigin = 'proxy'): PushJob {
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
    if (this.find(wish) !== undefined) throw new PushExists()
    const { log, streams, dialer } = this.#options
    const before = this.#to(wish).findLast(({ ending }) => ending)
    const options = {
      log,
      tasks: this.#tasks,
      notices: this.#notices,
      meters: this.#meters,
      dialer,
      service: (plugin: string) => this.#service(plugin),
      isPublished: (path: string) => streams.get(path) !== undefined,
      failed: (failed: PushWish) => this.#failureListeners.forEach((listener) => listener(failed)),
      sentBytes: (id: number) => streams.subscriber(id)?.sentBytes ?? 0,
    }
    const push = new PushJob(wish, origin, options, before?.job.done)
    this.#jobs.set(pushPlace(wish), [...this.#to(wish), push])
    void push.job.done.then(() => this.#remove(push))
    return push
  }

  /** Ends all pushes and starts no more. */
  close(reason: string): void {
    this.#closed = true
    for (const { job } of this.#all()) job.stop(reason)
  }

  #startRules(streamPath: string): void {
    // A stream that was made of another for its players would be kept alive by a push.
    const isMade = this.#options.streams.get(streamPath)?.publisher?.request.type === 'transform'
    if (this.#closed || isMade) return
    for (const wish of this.#rules.match(streamPath)) {
      if (this.find(wish) === undefined) this.start(wish, 'rule')
    }
  }

  /** The push of a stream to an address, unless it is ending: another one can follow it. */
  find(wish: Pick<PushWish, 'streamPath' | 'rule'>): PushJob | undefined {
    return this.#to(wish).find(({ ending }) => !ending)
  }

  #all(): PushJob[] {
    return [...this.#jobs.values()].flat()
  }

  #to(wish: Pick<PushWish, 'streamPath' | 'rule'>): readonly PushJob[] {
    return this.#jobs.get(pushPlace(wish)) ?? []
  }

  #remove(push: PushJob): void {
    const others = this.#to(push.wish).filter((other) => other !== push)
    if (others.length > 0) this.#jobs.set(pushPlace(push.wish), others)
    else this.#jobs.delete(pushPlace(push.wish))
  }

  #service(plugin: string): PushService | undefined {
    // Plugins can provide a service of such a name only with this type.
    return this.#options.services.get(`push:${plugin}`) as PushService | undefined
  }
}
