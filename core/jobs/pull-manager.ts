import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import {
  StreamExists,
  StreamUnavailable,
  type Dialer,
  type PullJobs,
  type PullService,
  type PullSource,
  type PullWish,
  type RuleSection,
  type TaskRegistry,
} from 'sluice/sdk'
import { jobNotices, type JobNotices } from 'sluice/sdk/host'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { TaskTree } from '../observe/task-tree.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { awaitBegin } from './begin-wait.ts'
import { JobMeters } from './job-meters.ts'
import { PullJob, type PullOrigin } from './pull-job.ts'
import { PullRules } from './pull-rules.ts'
import { namesFile } from './source-file.ts'

type PullManagerOptions = {
  readonly log: Logger
  readonly services: { get(name: string): unknown }
  readonly tasks: Pick<TaskTree, 'registryFor'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly streams: Pick<StreamRegistry, 'get' | 'subscribers'>
  /** Folders with files that may be played. */
  readonly folders: () => readonly string[]
  /** @param proxy its address; empty is none */
  readonly dialer: (proxy: string) => Dialer
  readonly meters?: JobMeters
}

/** All pulls of the server, one at most for each path: those of the rules, of proxies, for subscribers and of operators. */
export class PullManager implements PullJobs {
  readonly #options: PullManagerOptions
  readonly #tasks: TaskRegistry
  readonly #notices: JobNotices
  readonly #meters: JobMeters
  /** Those that have not ended, by path. */
  readonly #jobs = new Map<string, PullJob>()
  /** Besides the rules, and asked before them. */
  readonly #sources = new Set<PullSource>()
  readonly #failureListeners = new Set<(streamPath: string) => void>()
  #rules = new PullRules([])
  /** What the rules without expression ask for, done or not, by path. */
  #fixed: ReadonlyMap<string, PullWish> = new Map()
  #closed = false

  constructor(options: PullManagerOptions) {
    this.#options = options
    this.#meters = options.meters ?? new JobMeters()
    this.#tasks = options.tasks.registryFor({ plugin: 'pulls', log: options.log })
    const hooks = options.hooks.registryFor({ plugin: 'global', log: options.log })
    this.#notices = jobNotices(hooks)
    hooks.on('resolve', ({ streamPath, params }) => this.demand(streamPath, params))
  }

  /** Takes over the rules of the sections as they are now: starts what is new, ends what is gone, leaves the rest alone. */
  apply(sections: readonly RuleSection<'pull'>[]): void {
    if (this.#closed) return
    this.#rules = new PullRules(sections)
    const before = this.#fixed
    this.#fixed = this.#rules.fixed
    for (const [streamPath, pull] of this.#jobs) {
      if (pull.origin === 'rule' && !this.#fixed.has(streamPath)) pull.job.stop('its rule is gone')
      if (pull.origin === 'subscriber') this.#renew(pull)
    }
    for (const [streamPath, wish] of this.#fixed) {
      if (!isDeepStrictEqual(before.get(streamPath), wish)) this.#start(wish, 'rule')
    }
  }

  /** Asks another one what to pull for subscribers, before the rules. */
  addSource(source: PullSource): () => void {
    this.#sources.add(source)
    return () => {
      if (!this.#sources.delete(source) || this.#closed) return
      for (const pull of this.#jobs.values()) {
        if (pull.origin === 'subscriber' || pull.origin === 'proxy') this.#renew(pull)
      }
    }
  }

  /** Calls `listener` each time a try of a pull has failed. */
  onFailure(listener: (streamPath: string) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** The number of pulls that have not ended. */
  get count(): number {
    return this.#jobs.size
  }

  /** The pull of a path that has not ended. */
  get(streamPath: string): PullJob | undefined {
    return this.#jobs.get(streamPath)
  }

  /** Whether a plugin offers to pull by this protocol. */
  canPull(protocol: string): boolean {
    return this.#service(protocol) !== undefined
  }

  /** The plugin that pulls such an address or plays such a file, as its service says of itself; undefined when none says so. */
  protocolOf(url: string): string | undefined {
    const { plugins } = this.#rules
    const parsed = URL.parse(url)
    const scheme = parsed?.protocol.slice(0, -1)
    const ending = path.extname(parsed?.pathname ?? '').toLowerCase()
    return (
      plugins.find((plugin) => namesFile(url, this.#service(plugin)?.files ?? [])) ??
      plugins.find((plugin) => scheme !== undefined && this.#service(plugin)?.schemes?.includes(scheme)) ??
      plugins.find((plugin) => ending !== '' && this.#service(plugin)?.endings?.includes(ending))
    )
  }

  /**
   * Starts a pull, and waits a little for its stream.
   * @throws {StreamExists} when the path is pulled already, or has a publisher that is not to be replaced
   * @throws {SluiceError} when the pull failed (502), or the server is stopping (503)
   */
  async request(wish: PullWish): Promise<void> {
    const { streamPath, publish, rule } = wish
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
    if (this.#jobs.get(streamPath)?.ending === false) throw new StreamExists()
    const isTaken = rule.testmode === 0 && this.#options.streams.get(streamPath) !== undefined
    if (isTaken && publish.kickexist !== true) throw new StreamExists()
    await awaitBegin(this.#start(wish, 'operator').job)
  }

  /** Starts a pull that lasts as long as its source says; one that has the path is stopped first. */
  start(wish: PullWish): void {
    if (!this.#closed) this.#start(wish, 'proxy')
  }

  /** Starts the pull of a path anew, as its source says now; ends it where none says anything of it any more. */
  restart(streamPath: string): void {
    const pull = this.#jobs.get(streamPath)
    if (pull === undefined || this.#closed) return
    const wish = this.#match(streamPath)
    if (wish === undefined) pull.job.stop('its rule is gone')
    else this.#start({ ...wish, args: pull.wish.args }, demandOrigin(wish))
  }

  /** Has the pull of a path last as long without subscribers as this says, without a restart. */
  adapt(wish: PullWish): void {
    const pull = this.#jobs.get(wish.streamPath)
    pull?.adapt(wish)
    const publisher = pull?.isPublishing ? this.#options.streams.get(wish.streamPath)?.publisher : undefined
    if (publisher !== undefined) publisher.config = { ...publisher.config, ...wish.publish }
  }

  /** Pulls a path for those who wait for it, if anybody knows where from; returns whether it will have a publisher. */
  demand(streamPath: string, args: Readonly<Record<string, string>>): boolean {
    const pull = this.#jobs.get(streamPath)
    if (pull !== undefined && !pull.ending) return true
    const wish = this.#closed || this.#fixed.has(streamPath) ? undefined : this.#match(streamPath)
    if (wish === undefined) return pull !== undefined
    this.#start({ ...wish, args }, demandOrigin(wish))
    return true
  }

  /** Ends all pulls and starts no more. */
  close(reason: string): void {
    this.#closed = true
    for (const { job } of this.#jobs.values()) job.stop(reason)
  }

  #match(streamPath: string): PullWish | undefined {
    for (const source of [...this.#sources, this.#rules]) {
      const wish = source.match(streamPath)
      if (wish !== undefined) return wish
    }
    return undefined
  }

  /** Looks at a pull for subscribers with the rules as they are now. */
  #renew(pull: PullJob): void {
    const { streamPath, args } = pull.wish
    const wish = this.#match(streamPath)
    if (wish !== undefined && pull.does(wish)) return
    if (wish !== undefined && this.#isWatched(streamPath)) this.#start({ ...wish, args }, demandOrigin(wish))
    else pull.job.stop('its rule is gone')
  }

  #start(wish: PullWish, origin: PullOrigin): PullJob {
    const { streamPath } = wish
    const before = this.#jobs.get(streamPath)
    before?.job.stop('another pull takes the path')
    const { log, folders, dialer } = this.#options
    const options = {
      log,
      tasks: this.#tasks,
      notices: this.#notices,
      meters: this.#meters,
      folders,
      dialer,
      service: (plugin: string) => this.#service(plugin),
      isWatched: (watched: string) => this.#isWatched(watched),
      failed: (path: string) => this.#failureListeners.forEach((listener) => listener(path)),
    }
    const pull = new PullJob(wish, origin, options, before?.job.done)
    this.#jobs.set(streamPath, pull)
    void pull.job.done.then(() => this.#jobs.get(streamPath) === pull && this.#jobs.delete(streamPath))
    return pull
  }

  #service(plugin: string): PullService | undefined {
    // Plugins can provide a service of such a name only with this type.
    return this.#options.services.get(`pull:${plugin}`) as PullService | undefined
  }

  #isWatched(streamPath: string): boolean {
    return this.#options.streams.subscribers(streamPath).some(({ request }) => request.passive !== true)
  }
}

function demandOrigin({ isLasting = false }: PullWish): PullOrigin {
  return isLasting ? 'proxy' : 'subscriber'
}
