import { isDeepStrictEqual } from 'node:util'
import { JobTable, StreamNotFound, type PushJobs, type PushService, type PushWish, type RuleSection } from 'sluice/sdk'
import { PushExists } from 'sluice/sdk/host'
import type { StreamRegistry } from '../stream/registry.ts'
import { awaitBegin } from './begin-wait.ts'
import { PushJob, type PushOrigin } from './push-job.ts'
import { pushPlace, PushRules } from './push-rules.ts'
import { ServiceJobs, type ServiceJobParts } from './service-job.ts'

type PushManagerOptions = ServiceJobParts & {
  readonly streams: Pick<StreamRegistry, 'get' | 'list' | 'subscriber'>
}

/** All pushes of the server, one at a time for each stream and address: those of the rules, of proxies and of operators. */
export class PushManager implements PushJobs {
  readonly #options: PushManagerOptions
  readonly #by: ServiceJobs<PushService>
  readonly #jobs = new JobTable<PushWish, PushJob>()
  #rules = new PushRules([])

  constructor(options: PushManagerOptions) {
    this.#options = options
    this.#by = new ServiceJobs('push', options)
    const hooks = options.hooks.registryFor({ plugin: 'global', log: options.log })
    hooks.on('published', ({ path }) => this.#startRules(path))
  }

  /** Takes over the rules of the sections as they are now: starts new pushes, ends those without a rule, leaves the others alone. */
  apply(sections: readonly RuleSection<'push'>[]): void {
    if (this.#jobs.isClosed) return
    this.#rules = new PushRules(sections)
    for (const push of this.#jobs.all) {
      const wishes = this.#rules.match(push.wish.streamPath)
      if (push.origin === 'rule' && !wishes.some((other) => isDeepStrictEqual(other, push.wish))) {
        push.job.stop('its rule is gone')
      }
    }
    for (const { path } of this.#options.streams.list()) this.#startRules(path)
  }

  /** Calls `listener` each time a try of a push has failed. @returns a function that removes it */
  onFailure(listener: (wish: PushWish) => void): () => void {
    return this.#jobs.onFailure(listener)
  }

  /** The number of pushes that have not ended. */
  get count(): number {
    return this.#jobs.all.length
  }

  /** Returns true when a plugin offers to push by this protocol. */
  canPush(protocol: string): boolean {
    return this.#by.service(protocol) !== undefined
  }

  /** The plugin that pushes to such an address, by the schemes of its service; undefined for none. */
  protocolOf(url: string): string | undefined {
    const scheme = URL.parse(url)?.protocol.slice(0, -1)
    if (scheme === undefined) return undefined
    return this.#rules.plugins.find((plugin) => this.#by.service(plugin)?.schemes.includes(scheme))
  }

  /**
   * Starts a push for an operator, and waits a little for the target to take it.
   * @throws {StreamNotFound} when the stream has no publisher
   * @throws {PushExists} when the stream is pushed to the address already
   * @throws {SluiceError} when the push failed (502), or the server is stopping (503)
   */
  async request(wish: PushWish): Promise<void> {
    if (this.#options.streams.get(wish.streamPath) === undefined) throw new StreamNotFound()
    await awaitBegin(this.start(wish, 'operator').job)
  }

  /**
   * Starts a push.
   * @throws {PushExists} when the stream is pushed to the address already
   * @throws {StreamUnavailable} when the server is stopping
   */
  start(wish: PushWish, origin: PushOrigin = 'proxy'): PushJob {
    if (this.find(wish) !== undefined) throw new PushExists()
    const { streams } = this.#options
    const options = {
      by: this.#by,
      isPublished: (path: string) => streams.get(path) !== undefined,
      failed: (failed: PushWish) => this.#jobs.failed(failed),
      sentBytes: (id: number) => streams.subscriber(id)?.sentBytes ?? 0,
    }
    return this.#jobs.add(pushPlace(wish), (after) => new PushJob(wish, origin, options, after))
  }

  /** Ends all pushes and starts no more. */
  close(reason: string): void {
    this.#jobs.close(reason)
  }

  #startRules(streamPath: string): void {
    // A push would keep a stream alive that was made of another one for its players.
    const isMade = this.#options.streams.get(streamPath)?.publisher?.request.type === 'transform'
    if (this.#jobs.isClosed || isMade) return
    for (const wish of this.#rules.match(streamPath)) {
      if (this.find(wish) === undefined) this.start(wish, 'rule')
    }
  }

  /** The push of a stream to an address, unless it is ending: another one can follow it. */
  find(wish: Pick<PushWish, 'streamPath' | 'rule'>): PushJob | undefined {
    const push = this.#jobs.at(pushPlace(wish))
    return push?.ending === false ? push : undefined
  }
}
