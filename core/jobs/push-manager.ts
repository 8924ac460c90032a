import { JobTable, type PushJobs, type PushService, type PushWish } from 'sluice/sdk'
import { PushExists } from 'sluice/sdk/host'
import type { StreamRegistry } from '../stream/registry.ts'
import { PushJob } from './push-job.ts'
import { ServiceJobs, type ServiceJobParts } from './service-job.ts'

type PushManagerOptions = ServiceJobParts & {
  readonly streams: Pick<StreamRegistry, 'get' | 'subscriber'>
  /** The plugins that may push, in their order. */
  readonly plugins: () => readonly string[]
}

/** All pushes of the server, one at a time for each stream and address. */
export class PushManager implements PushJobs {
  readonly #options: PushManagerOptions
  readonly #by: ServiceJobs<PushService>
  readonly #jobs = new JobTable<PushWish, PushJob>()

  constructor(options: PushManagerOptions) {
    this.#options = options
    this.#by = new ServiceJobs('push', options)
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
    return this.#options.plugins().find((plugin) => this.#by.service(plugin)?.schemes.includes(scheme))
  }

  /** All pushes that have not ended. */
  list(): readonly PushJob[] {
    return this.#jobs.all
  }

  /**
   * Starts a push.
   * @throws {PushExists} when the stream is pushed to the address already
   * @throws {StreamUnavailable} when the server is stopping
   */
  start(wish: PushWish): PushJob {
    if (this.find(wish) !== undefined) throw new PushExists()
    const { streams } = this.#options
    const options = {
      by: this.#by,
      isPublished: (path: string) => streams.get(path) !== undefined,
      failed: (failed: PushWish) => this.#jobs.failed(failed),
      sentBytes: (id: number) => streams.subscriber(id)?.sentBytes ?? 0,
    }
    return this.#jobs.add(pushPlace(wish), (after) => new PushJob(wish, options, after))
  }

  /** Ends all pushes and starts no more. */
  close(reason: string): void {
    this.#jobs.close(reason)
  }

  /** The push of a stream to an address, unless it is ending: another one can follow it. */
  find(wish: Pick<PushWish, 'streamPath' | 'rule'>): PushJob | undefined {
    const push = this.#jobs.at(pushPlace(wish))
    return push?.ending === false ? push : undefined
  }
}

/** The key under which there is one push at a time: a stream, and the address that it is sent to. */
function pushPlace({ streamPath, rule }: Pick<PushWish, 'streamPath' | 'rule'>): string {
  // No path has a line feed.
  return `${streamPath}\n${rule.url}`
}
