import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { SluiceError, StreamExists, StreamUnavailable, type PullService, type TaskRegistry } from 'sluice/sdk'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { PluginView } from '../host/plugin-view.ts'
import type { TaskTree } from '../observe/task-tree.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { PullJob, type PullOrigin } from './pull-job.ts'
import { PullRules, type WantedPull } from './pull-rules.ts'
import { messageOf } from '../base/message-of.ts'

/** An operator who asks for a pull is told how it went when that is known within this. */
const BEGIN_TIMEOUT_MS = 5000

type PullManagerOptions = {
  readonly log: Logger
  readonly services: { get(name: string): unknown }
  readonly tasks: Pick<TaskTree, 'registryFor'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly streams: Pick<StreamRegistry, 'get' | 'subscribers'>
}

class PullFailed extends SluiceError {
  constructor(message: string) {
    super('PULL_FAILED', 502, message)
  }
}

/** All pulls of the server, one at most for each path: those of the rules, those for subscribers, those of operators. */
export class PullManager {
  readonly #options: PullManagerOptions
  readonly #tasks: TaskRegistry
  /** Those that have not ended, by path. */
  readonly #jobs = new Map<string, PullJob>()
  #rules = new PullRules([])
  /** What the rules without expression ask for, done or not, by path. */
  #fixed: ReadonlyMap<string, WantedPull> = new Map()
  #closed = false

  constructor(options: PullManagerOptions) {
    this.#options = options
    const owner = { plugin: 'global', generation: 1, log: options.log }
    this.#tasks = options.tasks.registryFor(owner)
    const hooks = options.hooks.registryFor(owner)
    hooks.on('resolve', ({ streamPath }) => this.#resolve(streamPath))
    hooks.on('track', ({ path, type }) => {
      if (type === 'pull') this.#jobs.get(path)?.succeeded()
    })
    hooks.on('unpublished', ({ path, type }, reason) => {
      if (type === 'pull') this.#jobs.get(path)?.unpublished(reason)
    })
  }

  /** Takes over the rules of the plugins as they are now: starts what is new, ends what is gone, leaves the rest alone. */
  apply(plugins: readonly PluginView[]): void {
    if (this.#closed) return
    this.#rules = new PullRules(plugins)
    const before = this.#fixed
    this.#fixed = this.#rules.fixed
    for (const [path, job] of this.#jobs) {
      if (job.origin === 'rule' && !this.#fixed.has(path)) job.stop('its rule is gone')
      if (job.origin === 'subscriber') this.#renew(job)
    }
    for (const [path, wanted] of this.#fixed) {
      if (!isDeepStrictEqual(before.get(path), wanted)) this.#start(wanted, 'rule')
    }
  }

  /** Whether a plugin offers to pull by this protocol. */
  canPull(protocol: string): boolean {
    return this.#service(protocol) !== undefined
  }

  /** The plugin that pulls such an address, as its service says of itself; undefined when none says so. */
  protocolOf({ protocol, pathname }: URL): string | undefined {
    const scheme = protocol.slice(0, -1)
    const ending = /\.[^./]+$/u.exec(pathname)?.[0].toLowerCase() ?? ''
    const { plugins } = this.#rules
    return (
      plugins.find((plugin) => this.#service(plugin)?.schemes?.includes(scheme)) ??
      plugins.find((plugin) => this.#service(plugin)?.endings?.includes(ending))
    )
  }

  /**
   * Starts a pull, and waits a little for its stream.
   * @throws {StreamExists} when the path is pulled already, or has a publisher that is not to be replaced
   * @throws {SluiceError} when the pull failed (502), or the server is stopping (503)
   */
  async request(wanted: WantedPull): Promise<void> {
    const { streamPath, publish } = wanted
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
    if (this.#jobs.has(streamPath)) throw new StreamExists()
    if (this.#options.streams.get(streamPath) !== undefined && publish.kickexist !== true) throw new StreamExists()
    const { begun } = this.#start(wanted, 'operator')
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => late.resolve(), BEGIN_TIMEOUT_MS).unref()
    try {
      await Promise.race([begun, late.promise])
    } catch (error) {
      throw new PullFailed(messageOf(error))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends all pulls and starts no more. */
  close(reason: string): void {
    this.#closed = true
    for (const job of this.#jobs.values()) job.stop(reason)
  }

  #resolve(streamPath: string): boolean {
    const job = this.#jobs.get(streamPath)
    if (job !== undefined && !job.ending) return true
    const wanted = this.#closed || this.#fixed.has(streamPath) ? undefined : this.#rules.match(streamPath)
    if (wanted === undefined) return job !== undefined
    this.#start(wanted, 'subscriber')
    return true
  }

  /** Looks at a pull for subscribers with the rules as they are now. */
  #renew(job: PullJob): void {
    const { streamPath } = job.wanted
    const wanted = this.#rules.match(streamPath)
    if (wanted !== undefined && job.does(wanted)) return
    if (wanted !== undefined && this.#isWatched(streamPath)) this.#start(wanted, 'subscriber')
    else job.stop('its rule is gone')
  }

  #start(wanted: WantedPull, origin: PullOrigin): PullJob {
    const { streamPath } = wanted
    const before = this.#jobs.get(streamPath)
    before?.stop('another pull takes the path')
    const { log } = this.#options
    const options = {
      log,
      tasks: this.#tasks,
      service: (plugin: string) => this.#service(plugin),
      isWatched: (path: string) => this.#isWatched(path),
    }
    const job = new PullJob(wanted, origin, options, before?.done)
    this.#jobs.set(streamPath, job)
    void job.done.then(() => this.#forget(job))
    return job
  }

  #forget(job: PullJob): void {
    if (this.#jobs.get(job.wanted.streamPath) === job) this.#jobs.delete(job.wanted.streamPath)
  }

  #service(plugin: string): PullService | undefined {
    // Plugins can provide a service of such a name only with this type.
    return this.#options.services.get(`pull:${plugin}`) as PullService | undefined
  }

  #isWatched(streamPath: string): boolean {
    return this.#options.streams.subscribers(streamPath).length > 0
  }
}
