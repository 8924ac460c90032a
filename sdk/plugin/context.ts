import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { StreamManager } from '../stream/stream-manager.ts'
import type { HookRegistry } from './hooks.ts'
import type { Net } from './net.ts'
import type { ServiceRegistry } from './services.ts'
import type { TaskRegistry } from './tasks.ts'

/** What a plugin is given. Everything made through it is undone when the plugin is unloaded. */
export interface PluginContext<Config> {
  /** The effective config: validated, complete and frozen; durations in milliseconds, sizes in bytes. */
  readonly config: Config
  /** Told when keys that the definition names in `live` changed; `ctx.config` is the new one by then. */
  onConfig(listener: (config: Config) => void): void
  /** Bound to the plugin's name; make a child for each session. */
  readonly log: Logger
  readonly streams: StreamManager
  readonly hooks: HookRegistry
  readonly net: Net
  /**
   * A fastify instance of the plugin's own, mounted at `/<plugin>` and the definition's other `mounts`: routes are
   * written without that prefix. Its `server` emits `upgrade` for WebSocket requests below the mounts.
   */
  readonly http: FastifyInstance
  readonly tasks: TaskRegistry
  readonly services: ServiceRegistry
  /**
   * Told once, at once when it has happened already: a newer generation of the plugin has taken over, or the plugin is
   * being removed. Its running sessions go on for a while; this is the time to let go of what only one generation can
   * have, such as a path that the plugin publishes itself. What the listener throws is logged.
   */
  onDrain(listener: () => void): void
  /** Aborted when the plugin is unloaded, after its sessions have ended. */
  readonly signal: AbortSignal
  /** Runs when the plugin is unloaded, latest first. */
  onDispose(dispose: () => void | Promise<void>): void
}
