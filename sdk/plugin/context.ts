import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { StreamManager } from '../stream/stream-manager.ts'
import type { GlobalConfig } from '../config/global/global-config.ts'
import type { JobRunner } from '../jobs/job-runner.ts'
import type { Database } from './database.ts'
import type { Files } from './files.ts'
import type { HookRegistry } from './hooks.ts'
import type { MetricRegistry } from './metrics.ts'
import type { Net } from './net.ts'
import type { OperationRegistry } from './operations.ts'
import type { PluginDirectory } from './plugins.ts'
import type { Processes } from './processes.ts'
import type { ServiceRegistry } from './services.ts'
import type { TaskRegistry } from './tasks.ts'

/** A process of the server, as its plugins know it. */
export type ServerNode = {
  /** The name of the machine among those that work together. */
  readonly id: string
  /** The number of the process on its machine, from 0. */
  readonly process: number
  /** The number of processes on the machine. */
  readonly processes: number
}

/**
 * The reason why a generation drains: a newer one has taken over, or there is none, as the plugin was removed or switched
 * off, or the server is stopping.
 */
export type DrainCause = 'replaced' | 'removed'

/** The section `global` as plugins may see it: without the database and the administration, which hold the server's own secrets. */
export type ServerConfig = Omit<GlobalConfig, 'db' | 'admin'>

/** The options of a callback at the end of a generation. */
export type DisposeOptions = {
  /** The time that the callback may take, in milliseconds, 3,000 at most. Default 1,000. */
  readonly withinMs?: number
}

/**
 * The argument of `setup`: the plugin's way to everything in the server. The end of the plugin's generation undoes what was
 * made through it, so a plugin needs no clean-up of its own for it.
 */
export interface PluginContext<Config> {
  /**
   * The effective config: validated, complete and frozen; durations are in milliseconds, sizes in bytes. It is another
   * object after a change of keys that the definition names in `live`.
   */
  readonly config: Config
  /** Calls `listener` after a change of keys that the definition names in `live`; `ctx.config` is the new one by then. */
  onConfig(listener: (config: Config) => void): void
  /** The section `global` as it is now; ask again for what may change. */
  readonly global: Readonly<ServerConfig>
  /** A pino logger that puts the plugin's name into its lines; make a child of it for each session. */
  readonly log: Logger
  /** The streams: publishing, subscribing, and the admission of sessions. */
  readonly streams: StreamManager
  /** The events of the server, some of which a plugin may refuse. */
  readonly hooks: HookRegistry
  /** Listeners for protocols other than HTTP. */
  readonly net: Net
  /**
   * A fastify instance of the plugin's own, mounted at `/<plugin>` and the definition's other `mounts`: routes are
   * written without that prefix. Its `server` emits `upgrade` for WebSocket requests below the mounts; a listener that
   * answers later returns a promise, and the host waits for it before it refuses the request.
   */
  readonly http: FastifyInstance
  /**
   * Makes a token for the addresses of a session that is asked for by many requests: HLS playlists, the resource of a WHIP
   * session. A request that has it in its path or query reaches the generation that made it, for as long as that has
   * sessions, connections or open requests, also through addresses of the plugin's own and for WebSockets. Afterwards the
   * newest generation gets it, as it gets all other requests. Where a request has several, the first counts.
   *
   * The token is `~` and 36 characters of base64url. It can't be guessed, so its bearer may be taken for the session's
   * client; keep it out of logs. The plugin keeps the session that it stands for.
   */
  sessionToken(): string
  /** Routes and WebSockets of the administration: guarded, with their parameters checked, and described in the API. */
  readonly operations: OperationRegistry
  /** Long-lived work that operators see and can stop. */
  readonly tasks: TaskRegistry
  /** Work on streams that is tried again when it fails, and the pulls and pushes of the server. */
  readonly jobs: JobRunner
  /** The counters, gauges and histograms of the plugin, as `/metrics` shows them. */
  readonly metrics: MetricRegistry
  /** Programs, and modules of the plugin in threads and processes of their own. */
  readonly processes: Processes
  /** The services that plugins offer each other. */
  readonly services: ServiceRegistry
  /** The plugins of the server and their sections, for plugins that do their work by these. */
  readonly plugins: PluginDirectory
  /**
   * Reads a value that a client gives as text by the schema of a key of the config, as the config file has it: `10s` of a duration is
   * 10,000, and `1` of a boolean is true.
   * @param name the name of the value in the message
   * @returns the value for the program, frozen
   * @throws {InvalidRequest} the text does not fit; the message has the values that fit, and not the text, which may be a secret
   */
  readConfigText<Schema extends TSchema>(name: string, text: string, schema: Schema): Static<Schema>
  /** Files that outlive the plugin, such as pictures. */
  readonly files: Files
  /**
   * Returns the object that all generations of the plugin have under this name; `create` makes it for the first that asks. It
   * is gone when the plugin is removed or the server stops. It holds plain data, and functions that their generation takes
   * out again in `onDispose`: an object of a class, or a function that stays, keeps the code of an ended generation in
   * memory. A generation that expects another shape takes another name.
   */
  keep<Kept extends object>(name: string, create: () => Kept): Kept
  /**
   * Returns the plugin's tables, which the migrations in `tables` of its definition make: SQLite's or PostgreSQL's, which
   * answer alike. Queries do not hold up media. They are the plugin's until its `onDispose` callbacks have run.
   *
   * Its queries reject with {@link StoreUnavailable} (`no db`, 503) while the database is away, which the plugin outlives: it
   * is also started then, and its migrations run once the database is there. They reject with {@link NotUnique} (409) where a
   * row is there already.
   * @throws {SluiceError} when the definition has no tables, or the generation has ended
   */
  store<Tables>(): Kysely<Tables>
  /** The state of the database, for work that does not wait for it. */
  readonly database: Database
  /** This process. There is one so far. */
  readonly node: ServerNode
  /**
   * Calls `callback` once, after `delayMs` milliseconds. Errors that it throws or rejects with are logged, and end nothing.
   *
   * Timers go on while the generation drains, as its sessions do: cancel in `onDrain` timers for work that only one
   * generation should do. They end with the generation, just before `signal` aborts; a timer that is set later never fires.
   * @returns a function that cancels the timer
   */
  setTimeout(callback: () => void | Promise<void>, delayMs: number): () => void
  /**
   * Calls `callback` each `intervalMs` milliseconds, whether or not the call before has settled; otherwise as `setTimeout`.
   * @returns a function that cancels the timer
   */
  setInterval(callback: () => void | Promise<void>, intervalMs: number): () => void
  /**
   * Calls `listener` once, when a newer generation of the plugin has taken over or the plugin is being removed; at once when
   * that has happened already. Running sessions go on for a while: this is the time to give up things that only one
   * generation can have, such as a path that the plugin publishes itself. Errors of the listener are logged.
   */
  onDrain(listener: (cause: DrainCause) => void): void
  /**
   * Keeps the generation from its end while it drains, as its sessions do, until the returned function is called or `draintimeout`
   * is over: for work of its own that others rely on, such as an open file.
   */
  hold(): () => void
  /**
   * Makes `/readyz` answer that the server is not ready (503) while `isWell` returns false, for the reason `name`. Ends with
   * the generation.
   */
  readiness(name: string, isWell: () => boolean): void
  /** Aborts when the generation ends, after its sessions and timers have. */
  readonly signal: AbortSignal
  /**
   * Calls `dispose` when the generation ends, after `signal` has aborted; the callback that was given last comes first. The
   * host waits for each, for a second at most unless the options say otherwise. Errors that it throws or rejects with are
   * logged.
   */
  onDispose(dispose: () => void | Promise<void>, options?: DisposeOptions): void
}
