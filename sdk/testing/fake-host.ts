import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { TObject } from 'typebox'
import type { DrainCause, PluginContext, ServerConfig } from '../plugin/context.ts'
import { servePages } from '../host/plugin-pages.ts'
import type { PluginConfig, PluginDefinition } from '../plugin/define-plugin.ts'
import { effectiveConfig, globalConfig, readConfigText, type WrittenConfig } from './fake-config.ts'
import { FakeFiles } from './fake-files.ts'
import { FakeHooks } from './fake-hooks.ts'
import { FakeHttp } from './fake-http.ts'
import { FakeJobs } from './fake-jobs.ts'
import { FakeMetrics } from './fake-metrics.ts'
import { FakeNet } from './fake-net.ts'
import { FakePlugins } from './fake-plugins.ts'
import { FakeProcesses } from './fake-processes.ts'
import { FakeServices, type OtherServices } from './fake-services.ts'
import type { FakeStore } from './fake-store.ts'
import { FakeStreams } from './fake-streams.ts'
import { FakeTasks } from './fake-tasks.ts'
import { FakeTimers } from './fake-timers.ts'
import { LogRecords } from './log-records.ts'

const TOKEN_BYTES = 27

/** The surroundings of the plugin in a fake host. */
export type FakeHostOptions = {
  /** The plugin's section as it would be in the config file: `{ subscribe: { waittimeout: '100ms' } }`. */
  readonly config?: WrittenConfig
  /** The section `global` as it would be in the config file. */
  readonly global?: WrittenConfig
  /** The other plugins of the server: `plugins` of the host of another generation. */
  readonly plugins?: FakePlugins
  /** Services of other plugins. */
  readonly services?: OtherServices
  /** The objects that earlier generations have kept: `kept` of their host. */
  readonly kept?: Map<string, object>
  /** The tables as earlier generations have left them: `store` of their host. */
  readonly store?: FakeStore | undefined
  /** The metrics of earlier generations: `metrics` of their host. */
  readonly metrics?: FakeMetrics
  /** The files as earlier generations have left them: `files` of their host, which takes them away when it is disposed. */
  readonly files?: FakeFiles
}

/** A running plugin and all that it touches. */
export interface FakeHost<Config> {
  readonly ctx: PluginContext<Config>
  readonly streams: FakeStreams
  readonly hooks: FakeHooks
  /** Its listeners, on free ports of the loopback address. */
  readonly net: FakeNet
  /** Its routes, below its mounts at `http.origin`. */
  readonly http: FakeHttp
  readonly tasks: FakeTasks
  /** Its jobs, and the pulls and pushes that it wanted. */
  readonly jobs: FakeJobs
  /** The other plugins of the server, which a test sets. */
  readonly plugins: FakePlugins
  /** The reasons for which `/readyz` would answer that the server is not ready. */
  readonly missing: readonly string[]
  /** The number of holds that keep the generation from its end; see `PluginContext.hold`. */
  readonly holds: number
  /** Its counters, gauges and histograms: give them to the host of the next generation. */
  readonly metrics: FakeMetrics
  readonly processes: FakeProcesses
  readonly services: FakeServices
  /** Its files, in a temporary folder: give them to the host of the next generation. */
  readonly files: FakeFiles
  /** The objects that the plugin has kept, by name: give them to the host of the next generation. */
  readonly kept: Map<string, object>
  /** Its tables, where its definition has any: give them to the host of the next generation. */
  readonly store: FakeStore | undefined
  readonly log: LogRecords
  /** Applies another section, as a change of the file would for keys the plugin takes live. */
  configure(config: WrittenConfig): void
  /** Applies another section `global`. */
  configureGlobal(config: WrittenConfig): void
  /** Calls the listeners of `onDrain`: a newer generation has taken over, or there is none; its sessions go on. */
  drain(cause?: DrainCause): void
  /** Unloads the plugin: drains it, ends its sessions and tasks, undoes what it did, closes its listeners. Idempotent. */
  dispose(): Promise<void>
}

/**
 * Runs a plugin without a host: real sockets, a real HTTP server, the real defaults of its config, and streams in memory.
 * @throws what `setup` throws or rejects with; nothing stays open then
 */
export async function createFakeHost<Own extends TObject>(
  definition: PluginDefinition<Own>,
  options: FakeHostOptions = {},
): Promise<FakeHost<PluginConfig<Own>>> {
  const host = new RunningHost(definition, options)
  try {
    await host.prepareTables(options.store)
    host.servePages()
    await definition.setup(host.ctx)
    await host.http.start()
    return host
  } catch (error) {
    await host.dispose()
    throw error
  }
}

class RunningHost<Own extends TObject> implements FakeHost<PluginConfig<Own>> {
  readonly ctx: PluginContext<PluginConfig<Own>>
  readonly log: LogRecords
  readonly hooks: FakeHooks
  readonly streams: FakeStreams
  readonly net: FakeNet
  readonly http: FakeHttp
  readonly tasks: FakeTasks
  readonly jobs: FakeJobs
  readonly plugins: FakePlugins
  readonly metrics: FakeMetrics
  readonly processes = new FakeProcesses()
  readonly services: FakeServices
  readonly files: FakeFiles
  readonly kept: Map<string, object>
  store: FakeStore | undefined
  readonly #definition: PluginDefinition<Own>
  readonly #timers: FakeTimers
  readonly #ownFiles: FakeFiles | undefined
  readonly #lentMetrics: ReturnType<FakeMetrics['lend']>
  readonly #unload = new AbortController()
  readonly #configListeners: ((config: PluginConfig<Own>) => void)[] = []
  readonly #holds = new Set<object>()
  readonly #readiness: { readonly name: string; readonly isWell: () => boolean }[] = []
  readonly #disposers: (() => void | Promise<void>)[] = []
  /** The listeners of `onDrain`; undefined once they were called. */
  #drainListeners: ((cause: DrainCause) => void)[] | undefined = []
  #drainCause: DrainCause = 'removed'
  #global: ServerConfig
  #config: PluginConfig<Own>
  #tables: Kysely<unknown> | undefined
  #isUnloaded = false
  #disposed: Promise<void> | undefined

  constructor(definition: PluginDefinition<Own>, options: FakeHostOptions) {
    const { config, services = {}, kept = new Map() } = options
    const { name, mounts = [name], provides = [] } = definition
    this.#definition = definition
    this.#config = effectiveConfig(definition, config)
    this.#global = globalConfig(options.global)
    this.log = new LogRecords(name)
    const { logger } = this.log
    this.hooks = new FakeHooks(logger)
    this.streams = new FakeStreams({ protocol: name, hooks: this.hooks, config: () => this.#config })
    this.net = new FakeNet(logger)
    this.http = new FakeHttp(mounts)
    this.tasks = new FakeTasks(logger, this.hooks)
    this.jobs = new FakeJobs(this.tasks, this.hooks, () => this.#assertLoaded())
    this.plugins = options.plugins ?? new FakePlugins()
    this.services = new FakeServices(provides, services)
    this.metrics = options.metrics ?? new FakeMetrics(name, logger, definition.formerNames?.metrics)
    this.#lentMetrics = this.metrics.lend(() => this.#assertLoaded())
    this.kept = kept
    this.files = options.files ?? new FakeFiles()
    this.#ownFiles = options.files === undefined ? this.files : undefined
    this.#timers = new FakeTimers(logger)
    this.ctx = this.#createContext()
  }

  /** Loads what it takes only where the definition has tables. */
  async prepareTables(store: FakeStore | undefined): Promise<void> {
    const { name, tables, formerNames } = this.#definition
    if (tables === undefined) return
    const { FakeStore } = await import('./fake-store.ts')
    this.store = store ?? new FakeStore()
    this.#tables = await this.store.lend(name, tables, () => this.#assertLoaded(), formerNames)
  }

  /** Serves the modules of the definition's pages. */
  servePages(): void {
    const { name, mounts = [name], pages = [] } = this.#definition
    servePages(this.http.app, { pages, mounts, log: this.log.logger })
  }

  configure(config: WrittenConfig): void {
    this.#config = effectiveConfig(this.#definition, config)
    for (const listener of this.#configListeners) listener(this.#config)
  }

  configureGlobal(config: WrittenConfig): void {
    this.#global = globalConfig(config)
  }

  get missing(): readonly string[] {
    return this.#readiness.flatMap(({ name, isWell }) => (isWell() ? [] : [name]))
  }

  get holds(): number {
    return this.#holds.size
  }

  drain(cause: DrainCause = 'replaced'): void {
    const listeners = this.#drainListeners ?? []
    if (this.#drainListeners !== undefined) this.#drainCause = cause
    this.#drainListeners = undefined
    for (const listener of listeners) this.#tellDrain(listener)
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose()
    return this.#disposed
  }

  #createContext(): PluginContext<PluginConfig<Own>> {
    const { log, streams, net, http, tasks, jobs, plugins, processes, services } = this
    const currentConfig = () => this.#config
    const currentGlobal = () => this.#global
    const storeExists = () => this.store !== undefined
    const { registry: metrics } = this.#lentMetrics
    return {
      get config() {
        return currentConfig()
      },
      onConfig: (listener) => void this.#configListeners.push(listener),
      get global() {
        return currentGlobal()
      },
      log: log.logger,
      hooks: this.hooks.registryFor(this.#definition.notices),
      streams,
      net,
      tasks,
      jobs,
      plugins,
      readConfigText,
      metrics,
      processes,
      services,
      files: this.files.lend(
        () => this.#assertLoaded(),
        (dispose) => void this.#disposers.push(dispose),
      ),
      http: http.app,
      sessionToken: () => `~${randomBytes(TOKEN_BYTES).toString('base64url')}`,
      keep: (name, create) => this.#keep(name, create),
      store: <Tables>() => this.#tablesAs<Tables>(),
      database: {
        get exists() {
          return storeExists()
        },
        onAvailable: (listener) => this.#onAvailable(listener),
      },
      hold: () => this.#hold(),
      readiness: (name, isWell) => void this.#readiness.push({ name, isWell }),
      node: {
        id: 'fake',
        process: 0,
        processes: 1,
      },
      operations: http.operations,
      setTimeout: (callback, delayMs) => this.#timers.setTimeout(callback, delayMs),
      setInterval: (callback, intervalMs) => this.#timers.setInterval(callback, intervalMs),
      onDrain: (listener) => this.#onDrain(listener),
      signal: this.#unload.signal,
      onDispose: (dispose) => void this.#disposers.push(dispose),
    }
  }

  #keep<Kept extends object>(name: string, create: () => Kept): Kept {
    const kept = this.kept.get(name) ?? create()
    this.kept.set(name, kept)
    // The plugin knows the type of the object that it kept under a name.
    return kept as Kept
  }

  #tablesAs<Tables>(): Kysely<Tables> {
    if (this.#tables === undefined) throw new Error('has no tables: write their migrations into its `tables`')
    this.#assertLoaded()
    return this.#tables as Kysely<Tables>
  }

  #assertLoaded(): void {
    if (this.#isUnloaded) throw new Error(`plugin '${this.#definition.name}' is unloaded`)
  }

  #onAvailable(listener: () => void | Promise<void>): () => void {
    const stop = this.store?.onAvailable(listener) ?? (() => {})
    this.#disposers.push(stop)
    return stop
  }

  #hold(): () => void {
    const held = {}
    this.#holds.add(held)
    return () => void this.#holds.delete(held)
  }

  #onDrain(listener: (cause: DrainCause) => void): void {
    if (this.#drainListeners === undefined) this.#tellDrain(listener)
    else this.#drainListeners.push(listener)
  }

  #tellDrain(listener: (cause: DrainCause) => void): void {
    try {
      listener(this.#drainCause)
    } catch (err) {
      this.log.logger.error({ err }, 'a drain listener failed')
    }
  }

  async #dispose(): Promise<void> {
    this.drain('removed')
    this.hooks.dispose()
    this.streams.dispose()
    this.#timers.dispose()
    this.#unload.abort()
    for (const dispose of this.#disposers.toReversed()) await dispose()
    await this.tasks.dispose()
    await this.processes.dispose()
    await Promise.all([this.net.dispose(), this.http.dispose()])
    await this.#ownFiles?.dispose()
    this.#lentMetrics.dispose()
    this.#isUnloaded = true
  }
}
