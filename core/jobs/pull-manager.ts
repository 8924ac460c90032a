import path from 'node:path'
import { JobTable, type HookOrder, type PullJobs, type PullService, type PullSource, type PullWish } from 'sluice/sdk'
import type { StreamRegistry } from '../stream/registry.ts'
import { PullJob } from './pull-job.ts'
import { ServiceJobs, type ServiceJobParts } from './service-job.ts'
import { namesFile } from './source-file.ts'

type PullManagerOptions = ServiceJobParts & {
  readonly streams: Pick<StreamRegistry, 'get' | 'subscribers'>
  /** The folders with files that may be played. */
  readonly folders: () => readonly string[]
  /** The plugins that may pull, in their order. */
  readonly plugins: () => readonly string[]
}

/** All pulls of the server, one at most for each path. */
export class PullManager implements PullJobs {
  readonly #options: PullManagerOptions
  readonly #by: ServiceJobs<PullService>
  /** The pulls by path. */
  readonly #jobs = new JobTable<PullWish, PullJob>()
  /** The sources of wishes, in the order in which they are asked. */
  #sources: readonly { readonly source: PullSource; readonly stage: number }[] = []

  constructor(options: PullManagerOptions) {
    this.#options = options
    this.#by = new ServiceJobs('pull', options)
    const hooks = options.hooks.registryFor({ plugin: 'global', log: options.log })
    hooks.on('resolve', ({ streamPath, params }) => this.demand(streamPath, params))
  }

  /**
   * Adds a source of the wishes for subscribers, which is asked after those of lower stages.
   * @param plugin the plugin of the source: the pulls that it has started are matched anew when the source is removed
   * @returns a function that removes the source
   */
  addSource(source: PullSource, { stage = 0 }: Pick<HookOrder, 'stage'> = {}, plugin = ''): () => void {
    const added = { source, stage }
    this.#sources = [...this.#sources, added].toSorted((one, other) => one.stage - other.stage)
    return () => {
      if (!this.#sources.includes(added)) return
      this.#sources = this.#sources.filter((other) => other !== added)
      if (this.#jobs.isClosed) return
      const isMatched = ({ starter = plugin }: PullJob) => starter === plugin
      for (const pull of this.#jobs.newest.filter(isMatched)) this.#renew(pull)
    }
  }

  /** Calls `listener` each time a try of a pull has failed. @returns a function that removes it */
  onFailure(listener: (streamPath: string) => void): () => void {
    return this.#jobs.onFailure(({ streamPath }) => listener(streamPath))
  }

  /** The number of pulls that have not ended. */
  get count(): number {
    return this.#jobs.newest.length
  }

  /** The pulls that have not ended, the newest of each path. */
  list(): readonly PullJob[] {
    return this.#jobs.newest
  }

  /** The pull of a path that has not ended. */
  get(streamPath: string): PullJob | undefined {
    return this.#jobs.at(streamPath)
  }

  /** Returns true when a plugin offers to pull by this protocol. */
  canPull(protocol: string): boolean {
    return this.#by.service(protocol) !== undefined
  }

  /** The plugin that pulls such an address or plays such a file, by the schemes and endings of its service; undefined for none. */
  protocolOf(url: string): string | undefined {
    const plugins = this.#options.plugins()
    const parsed = URL.parse(url)
    const scheme = parsed?.protocol.slice(0, -1)
    const ending = path.extname(parsed?.pathname ?? '').toLowerCase()
    return (
      plugins.find((plugin) => namesFile(url, this.#by.service(plugin)?.files ?? [])) ??
      plugins.find((plugin) => scheme !== undefined && this.#by.service(plugin)?.schemes?.includes(scheme)) ??
      plugins.find((plugin) => ending !== '' && this.#by.service(plugin)?.endings?.includes(ending))
    )
  }

  /**
   * Starts a pull without subscribers; another pull of the path is stopped first.
   * @param plugin the plugin that wants it
   */
  start(wish: PullWish, plugin = ''): PullJob | undefined {
    return this.#jobs.isClosed ? undefined : this.#start(wish, plugin)
  }

  /** Starts the pull of a path anew, by the present wish of its source; ends it where no source has one any more. */
  restart(streamPath: string): void {
    const pull = this.#jobs.at(streamPath)
    if (pull === undefined || this.#jobs.isClosed) return
    const wish = this.#match(streamPath)
    if (wish === undefined) pull.stop('its rule is gone')
    else if (wish !== null) this.#start({ ...wish, args: pull.wish.args })
  }

  /** Applies the wish's limits of the time without subscribers to the pull of its path, without a restart. */
  adapt(wish: PullWish): void {
    const pull = this.#jobs.at(wish.streamPath)
    pull?.adapt(wish)
    const publisher = pull?.isPublishing ? this.#options.streams.get(wish.streamPath)?.publisher : undefined
    if (publisher !== undefined) publisher.config = { ...publisher.config, ...wish.publish }
  }

  /** Pulls a path for subscribers that wait for it, if a source has a wish for it; returns true when it will have a publisher. */
  demand(streamPath: string, args: Readonly<Record<string, string>>): boolean {
    const pull = this.#jobs.at(streamPath)
    if (pull !== undefined && !pull.ending) return true
    const wish = this.#jobs.isClosed ? undefined : this.#match(streamPath)
    if (!wish) return pull !== undefined
    this.#start({ ...wish, args })
    return true
  }

  /** Ends all pulls and starts no more. */
  close(reason: string): void {
    this.#jobs.close(reason)
  }

  #match(streamPath: string): PullWish | null | undefined {
    for (const { source } of this.#sources) {
      const wish = source.match(streamPath)
      if (wish !== undefined) return wish
    }
    return undefined
  }

  /** Checks a pull by the present sources: it goes on, starts anew or ends. */
  #renew(pull: PullJob): void {
    const { streamPath, args } = pull.wish
    const wish = this.#match(streamPath)
    if (wish === null || (wish !== undefined && pull.does(wish))) return
    if (wish !== undefined && this.#isWatched(streamPath)) this.#start({ ...wish, args })
    else pull.stop('its rule is gone')
  }

  #start(wish: PullWish, starter?: string): PullJob {
    this.#jobs.at(wish.streamPath)?.stop('another pull takes the path')
    const options = {
      by: this.#by,
      starter,
      folders: this.#options.folders,
      isWatched: (watched: string) => this.#isWatched(watched),
      failed: (failed: PullWish) => this.#jobs.failed(failed),
    }
    return this.#jobs.add(wish.streamPath, (after) => new PullJob(wish, options, after))
  }

  #isWatched(streamPath: string): boolean {
    return this.#options.streams.subscribers(streamPath).some(({ request }) => request.passive !== true)
  }
}
