import path from 'node:path'
import type { Logger } from 'pino'
import { SluiceError, type DialerOptions, type Recordings } from 'sluice/sdk'
import type { Lifecycle } from './admin/system/lifecycle-operations.ts'
import { GateMeters } from './auth/gate-meters.ts'
import { Gatekeeper } from './auth/gatekeeper.ts'
import { Readiness } from './base/readiness.ts'
import { ProcessIds } from './base/process-ids.ts'
import { ConfigEditor } from './config/config-editor.ts'
import { ConfigError } from './config/config-error.ts'
import type { Config } from './config/config.ts'
import { ModificationCopy } from './config/modification-copy.ts'
import { HookRunner } from './host/hooks/hook-runner.ts'
import { PluginHost } from './host/plugin-host.ts'
import { foreignProtocols } from './host/plugin-view.ts'
import { KnownPlugins } from './host/known-plugins.ts'
import { ServiceDirectory } from './host/service-directory.ts'
import { addAdministration } from './admin/administration.ts'
import { ListenerBranch } from './admin/tasks/listener-branch.ts'
import { playPathFor } from './admin/system/play-path.ts'
import { createServerInfo } from './admin/system/server-info.ts'
import { HttpMeters } from './http/http-meters.ts'
import { HttpHost } from './http/http-host.ts'
import { Login } from './login/login.ts'
import { createDialer } from './net/dialer/dialer.ts'
import { machineAddresses } from './net/local-address.ts'
import { ListenerPool } from './net/listener-pool.ts'
import { ConfiguredNetworks, NetworkList } from './net/network-list.ts'
import { pluginLogger } from './observe/logger.ts'
import { ServerMetrics } from './observe/metrics/server-metrics.ts'
import { MachineUsageSampler } from './observe/machine-usage.ts'
import type { RecentLog } from './observe/recent-log.ts'
import { TaskTree } from './observe/task-tree.ts'
import { PLUGINS_FOLDER, VERSION } from './package-root.ts'
import { ServerJobs } from './jobs/server-jobs.ts'
import type { Peers } from './peers/peers.ts'
import { SingleProcess } from './peers/single-process.ts'
import { createStorage } from './host/server-storage.ts'
import { OwnedStreams } from './stream/owned-streams.ts'
import { databaseName } from './store/database.ts'
import { Store } from './store/store.ts'
import { SessionMeters } from './stream/session-meters.ts'
import { StreamBranch } from './stream/stream-branch.ts'
import { restoreStored } from './stored-config.ts'
import { StreamRegistry } from './stream/registry.ts'

/** The time after which a server that stops has stopped, whatever its sessions and plugins do. */
export const STOP_DEADLINE_MS = 4500
/** The time without progress after which plugins that are still being loaded no longer delay the others. */
export const LOAD_PATIENCE_MS = 2000
/** The time that open HTTP requests have to finish. */
const HTTP_CLOSE_MS = 500

/** The file in the data folder with the values set at run time, for a start without the database. */
const CONFIG_COPY = 'config-at-run-time.json'

/** The denied networks of a dialer that reaches every address. */
const NOWHERE = new NetworkList([])

type ServerOptions = {
  readonly config: Config
  readonly log: Logger
  /** The newest lines of `log`, for operators, who can't look at it without. */
  readonly recentLog?: RecentLog
  /** The folders of plugins besides `global.plugins_dir`; that of the shipped ones unless given. */
  readonly pluginFolders?: readonly string[]
  /** Ends and restarts the server for operators, who can do neither without it. */
  readonly lifecycle?: Lifecycle
  /** This process and the others of the server; no others unless given. */
  readonly peers?: Peers
}

/** The server: its parts, and the order in which they start and stop. */
export class Server {
  readonly host: PluginHost
  readonly http: HttpHost
  readonly streams: StreamRegistry
  readonly store: Store
  readonly #config: Config
  readonly #editor: ConfigEditor
  readonly #log: Logger
  readonly #recentLog: RecentLog | undefined
  readonly #pool: ListenerPool
  readonly #gatekeeper: Gatekeeper
  readonly #login: Login
  readonly #jobs: ServerJobs
  /** Undefined while no plugin records. */
  readonly #recordings: () => Recordings | undefined
  readonly #metrics: ServerMetrics
  readonly #tasks: TaskTree
  readonly #readiness = new Readiness()
  readonly #hooks: HookRunner
  readonly #lifecycle: Lifecycle | undefined
  #startTime = new Date()
  #unwatch: (() => void) | undefined
  #loading: Promise<void> | undefined
  #isStarted = false
  #stopping: Promise<void> | undefined

  constructor({
    config,
    log,
    recentLog,
    pluginFolders = [PLUGINS_FOLDER],
    lifecycle,
    peers = new SingleProcess(),
  }: ServerOptions) {
    this.#config = config
    this.#log = log
    this.#recentLog = recentLog
    this.#metrics = new ServerMetrics(log)
    const metrics = this.#metrics.own
    this.#lifecycle = lifecycle
    const hooks = new HookRunner()
    this.#hooks = hooks
    const ids = new ProcessIds(peers.node.process)
    const tasks = new TaskTree(ids)
    this.#tasks = tasks
    const services = new ServiceDirectory()
    const { db, datadir, storage } = config.global
    this.store = new Store({ log, metrics, ...db, datadir })
    this.#login = new Login({ log, store: this.store, config: () => config.global.admin })
    this.#editor = new ConfigEditor({
      config,
      log,
      store: this.store,
      copy: new ModificationCopy({
        log,
        file: path.join(datadir, CONFIG_COPY),
        database: databaseName({
          ...db,
          datadir,
        }),
      }),
      accept: (global) => this.http.applyConfig(global),
      apply: async (changes) => {
        log.level = config.global.loglevel
        void this.#login.applyConfig()
        await this.host.applyConfig(changes)
      },
    })
    this.#pool = new ListenerPool({ log })
    this.#gatekeeper = new Gatekeeper({ log, config, meters: new GateMeters(metrics) })
    this.streams = new StreamRegistry({
      log,
      ids,
      nodeId: ids.take(),
      hooks,
      gatekeeper: this.#gatekeeper,
      meters: new SessionMeters(metrics),
    })
    const plugins = () => this.host.list()
    const info = createServerInfo({
      log,
      startTime: () => this.#startTime,
      plugins,
      guard: () => this.http.guard,
    })
    this.http = new HttpHost({
      log,
      peers,
      login: this.#login,
      pool: this.#pool,
      meters: new HttpMeters(metrics),
      config: config.global,
      suggestPath: (path) => {
        const played = info.endpoints().flatMap(({ playAddr }) => playAddr)
        return playPathFor(path, played)
      },
      foreign: () => foreignProtocols(plugins()),
    })
    const deny = new ConfiguredNetworks(() => config.global.pull.deny)
    const dialer = (proxy: string, { isAnywhere = false }: DialerOptions = {}) =>
      createDialer({ deny: isAnywhere ? NOWHERE : deny, proxy })
    // Plugins can provide a service of this name only with this type.
    this.#recordings = () => services.get('recordings') as Recordings | undefined
    const known = new KnownPlugins()
    this.#jobs = new ServerJobs({
      log,
      metrics,
      services,
      tasks,
      hooks,
      streams: this.streams,
      dialer,
      plugins: known,
      folders: () => config.global.pull.folders,
    })
    tasks.addBranch(new StreamBranch(this.streams))
    tasks.addBranch(new ListenerBranch({ pool: this.#pool, ids }))
    tasks.onEnd((ended) => hooks.notifyEnded(ended))
    this.host = new PluginHost({
      log,
      onChange: (plugins) => known.apply(plugins),
      folders: () => [...pluginFolders, ...config.pluginFolders],
      workingFolder: process.cwd(),
      drainTimeoutMs: () => config.global.draintimeout,
      peers,
      parts: {
        node: peers.node,
        createLog: (plugin, { loglevel }) => pluginLogger(log, plugin, loglevel),
        hooks,
        tasks,
        services,
        store: this.store,
        files: createStorage(storage.local, datadir),
        jobs: this.#jobs,
        plugins: known,
        readiness: this.#readiness,
        global: () => config.shared,
        metrics: this.#metrics.table,
        streams: {
          forOwner: (owner) =>
            new OwnedStreams(this.streams, this.#gatekeeper, owner, (plugin) => known.ownerOf(plugin, log)),
        },
        net: this.#pool,
        addresses: () => machineAddresses(config.global),
        dialer,
        http: this.http,
        config,
      },
    })
    services.provide({ plugin: 'the server' }, 'server', info)
  }

  /**
   * Starts listening and the plugins. A plugin that can't start is listed as disabled, and the others go on.
   * @throws {ConfigError} when the section of a plugin is wrong
   * @throws {ListenError} when an HTTP address can't be bound
   */
  async start(): Promise<void> {
    this.#isStarted = true
    this.#startTime = new Date()
    await this.#editor.load()
    await this.loadPlugins(LOAD_PATIENCE_MS)
    this.#log.level = this.#config.global.loglevel
    await this.http.applyConfig(this.#config.global)
    this.store.open()
    await this.#login.start()
    this.#addRoutes()
    await this.http.start()
    await this.host.start()
    this.#editor.warn()
    this.#unwatch = this.#config.watch(() => void this.reload())
    this.#hooks.notify('started')
    this.#log.info({ version: VERSION, config: this.#config.file ?? 'defaults' }, 'the server is up')
  }

  /**
   * Finds and loads the plugins without starting them. Idempotent.
   * @param patienceMs how long to wait without progress; forever unless given
   * @throws {ConfigError} with all errors in `global` and the plugins' sections
   */
  loadPlugins(patienceMs?: number): Promise<void> {
    this.#loading ??= this.#loadPlugins(patienceMs)
    return this.#loading
  }

  async #loadPlugins(patienceMs: number | undefined): Promise<void> {
    // A server that is only prepared leaves the database to the one that it is to replace.
    if (!this.#isStarted) await restoreStored(this.#config)
    await this.host.load(patienceMs)
    const ofPlugins = this.host.configErrors().flatMap((error) => (error instanceof ConfigError ? error.problems : []))
    const problems = [...this.#config.problems, ...ofPlugins]
    if (problems.length > 0) throw new ConfigError(problems)
  }

  /** Stops accepting, ends sessions with a reason, and gives plugins and notices the time that is left. Idempotent. */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#stop(reason)
    return this.#stopping
  }

  async #stop(reason: string): Promise<void> {
    const deadlineMs = performance.now() + STOP_DEADLINE_MS
    // The end of a server that never started matters to nobody.
    const level = this.#isStarted ? 'info' : 'debug'
    this.#log[level]({ reason }, 'stopping')
    this.#unwatch?.()
    this.#pool.close()
    this.#jobs.close('the server is stopping')
    this.streams.close('the server is stopping')
    await this.host.stop('the server is stopping')
    await this.http.close(HTTP_CLOSE_MS)
    const leftMs = Math.max(0, deadlineMs - performance.now())
    await Promise.all([this.store.close(), this.#gatekeeper.close(leftMs)])
    this.#log[level]('stopped')
  }

  /** Applies the present config file; errors in it are logged, and the former config stays. */
  async reload(): Promise<void> {
    try {
      await this.#editor.reload()
    } catch (error) {
      // The message of such an error says how to mend it, and a stack would only hide that.
      const isForPeople = error instanceof SluiceError
      const err = isForPeople ? { message: error.message } : error
      this.#log.error({ err }, 'the config was not applied; the one before holds')
    }
  }

  #addRoutes(): void {
    addAdministration({
      log: this.#log,
      recentLog: this.#recentLog,
      version: VERSION,
      startTime: this.#startTime,
      config: this.#config,
      editor: this.#editor,
      http: this.http,
      host: this.host,
      pool: this.#pool,
      streams: this.streams,
      login: this.#login,
      jobs: this.#jobs,
      recordings: () => this.#recordings()?.active() ?? [],
      metrics: this.#metrics,
      readiness: this.#readiness,
      tasks: this.#tasks,
      lifecycle: this.#lifecycle,
      machine: new MachineUsageSampler([this.#config.global.datadir, process.cwd()]),
    })
  }
}
