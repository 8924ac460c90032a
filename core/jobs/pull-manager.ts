import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  JobTable,
  StreamExists,
  StreamUnavailable,
  type PullJobs,
  type PullService,
  type PullSource,
  type PullWish,
  type RuleSection,
} from 'sluice/sdk'
import type { StreamRegistry } from '../stream/registry.ts'
import { awaitBegin } from './begin-wait.ts'
import { PullJob, type PullOrigin } from './pull-job.ts'
import { PullRules } from './pull-rules.ts'
import { ServiceJobs, type ServiceJobParts } from './service-job.ts'
import { namesFile } from './source-file.ts'

type PullManagerOptions = ServiceJobParts & {
  readonly streams: Pick<StreamRegistry, 'get' | 'subscribers'>
  /** The folders with files that may be played. */
  readonly folders: () => readonly string[]
}

/** All pulls of the server, one at most for each path: those of the rules, of proxies, for subscribers and of operators. */
export class PullManager implements PullJobs {
  readonly #options: PullManagerOptions
  readonly #by: ServiceJobs<PullService>
  /** The pulls by path. */
  readonly #jobs = new JobTable<PullWish, PullJob>()
  /** The sources of wishes that are asked before the rules. */
  readonly #sources = new Set<PullSource>()
  #rules = new PullRules([])
  /** The wishes of the rules without expression, fulfilled or not, by path. */
  #fixed: ReadonlyMap<string, PullWish> = new Map()

  constructor(options: PullManagerOptions) {
    this.#options = options
    this.#by = new ServiceJobs('pull', options)
    const hooks = options.hooks.registryFor({ plugin: 'global', log: options.log })
    hooks.on('resolve', ({ streamPath, params }) => this.demand(streamPath, params))
  }

  /** Takes over the rules of the sections as they are now: starts new pulls, ends those without a rule, leaves the others alone. */
  apply(sections: readonly RuleSection<'pull'>[]): void {
    if (this.#jobs.isClosed) return
    this.#rules = new PullRules(sections)
    const before = this.#fixed
    this.#fixed = this.#rules.fixed
    for (const pull of this.#jobs.newest) {
      if (pull.origin === 'rule' && !this.#fixed.has(pull.wish.streamPath)) pull.job.stop('its rule is gone')
      if (pull.origin === 'subscriber') this.#renew(pull)
    }
    for (const [streamPath, wish] of this.#fixed) {
      if (!isDeepStrictEqual(before.get(streamPath), wish)) this.#start(wish, 'rule')
    }
  }

  /** Adds a source of the wishes for subscribers, which is asked before the rules. @returns a function that removes it */
  addSource(source: PullSource): () => void {
    this.#sources.add(source)
    return () => {
      if (!this.#sources.delete(source) || this.#jobs.isClosed) return
      for (const pull of this.#jobs.newest) {
        if (pull.origin === 'subscriber' || pull.origin === 'proxy') this.#renew(pull)
      }
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
    const { plugins } = this.#rules
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
   * Starts a pull, and waits a little for its stream.
   * @throws {StreamExists} when the path is pulled already, or has a publisher that is not to be replaced
   * @throws {SluiceError} when the pull failed (502), or the server is stopping (503)
   */
  async request(wish: PullWish): Promise<void> {
    const { streamPath, publish, rule } = wish
    if (this.#jobs.isClosed) throw new StreamUnavailable('the server is stopping')
    if (this.#jobs.at(streamPath)?.ending === false) throw new StreamExists()
    const isTaken = rule.testmode === 0 && this.#options.streams.get(streamPath) !== undefined
    if (isTaken && publish.kickexist !== true) throw new StreamExists()
    await awaitBegin(this.#start(wish, 'operator').job)
  }

  /** Starts a pull that lasts as long as its source has it; another pull of the path is stopped first. */
  start(wish: PullWish): void {
    if (!this.#jobs.isClosed) this.#start(wish, 'proxy')
  }

  /** Starts the pull of a path anew, by the present wish of its source; ends it where no source has one any more. */
  restart(streamPath: string): void {
    const pull = this.#jobs.at(streamPath)
    if (pull === undefined || this.#jobs.isClosed) return
    const wish = this.#match(streamPath)
    if (wish === undefined) pull.job.stop('its rule is gone')
    else this.#start({ ...wish, args: pull.wish.args }, demandOrigin(wish))
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
    const wish = this.#jobs.isClosed || this.#fixed.has(streamPath) ? undefined : this.#match(streamPath)
    if (wish === undefined) return pull !== undefined
    this.#start({ ...wish, args }, demandOrigin(wish))
    return true
  }

  /** Ends all pulls and starts no more. */
  close(reason: string): void {
    this.#jobs.close(reason)
  }

  #match(streamPath: string): PullWish | undefined {
    for (const source of [...this.#sources, this.#rules]) {
      const wish = source.match(streamPath)
      if (wish !== undefined) return wish
    }
    return undefined
  }

  /** Checks a pull for subscribers by the present rules: it goes on, starts anew or ends. */
  #renew(pull: PullJob): void {
    const { streamPath, args } = pull.wish
    const wish = this.#match(streamPath)
    if (wish !== undefined && pull.does(wish)) return
    if (wish !== undefined && this.#isWatched(streamPath)) this.#start({ ...wish, args }, demandOrigin(wish))
    else pull.job.stop('its rule is gone')
  }

  #start(wish: PullWish, origin: PullOrigin): PullJob {
    this.#jobs.at(wish.streamPath)?.job.stop('another pull takes the path')
    const options = {
      by: this.#by,
      folders: this.#options.folders,
      isWatched: (watched: string) => this.#isWatched(watched),
      failed: (failed: PullWish) => this.#jobs.failed(failed),
    }
    return this.#jobs.add(wish.streamPath, (after) => new PullJob(wish, origin, options, after))
  }

  #isWatched(streamPath: string): boolean {
    return this.#options.streams.subscribers(streamPath).some(({ request }) => request.passive !== true)
  }
}

function demandOrigin({ isLasting = false }: PullWish): PullOrigin {
  return isLasting ? 'proxy' : 'subscriber'
}
