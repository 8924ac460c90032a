import type { Logger } from 'pino'
import {
  messageOf,
  withDeadline,
  type DisposeOptions,
  type DrainCause,
  type PluginContext,
  type PluginDefinition,
  type TcpListener,
  type UdpListener,
} from 'sluice/sdk'
import { servePages, type ListedPage } from 'sluice/sdk/host'
import { isPromiseLike, withTurningDeadline } from '../../base/deadline.ts'
import { callPlugin } from '../error-owner.ts'
import { guard } from '../../base/guard.ts'
import { GenerationPorts } from './generation-ports.ts'
import { GenerationTimers } from './generation-timers.ts'
import type { KeptObjects } from './kept-objects.ts'
import { createContext, type ContextSource } from './plugin-context.ts'
import type {
  GenerationHttp,
  GenerationOwner,
  GenerationParts,
  GenerationStreams,
  GenerationTables,
  PluginSection,
  PluginValues,
} from './generation-parts.ts'
import { PluginError, PluginLate } from '../plugin-error.ts'

/** The time limits in the life of a generation. */
export type GenerationLimits = {
  /** The limit for `setup`, in time in which the event loop turned, as a setup makes no progress while other code blocks it. */
  readonly setupTimeoutMs: number
  /** The limit for each `onDispose` callback, and for the end of the tasks and of the open requests. */
  readonly disposeTimeoutMs: number
  readonly drainPollMs: number
  /**
   * The delay of the first retry after a start has failed for a passing reason, such as an address in use; later retries
   * wait longer.
   */
  readonly firstRetryMs: number
}

export const GENERATION_LIMITS: GenerationLimits = {
  // All plugins start at once on a busy machine, which takes its time.
  setupTimeoutMs: 20_000,
  disposeTimeoutMs: 1000,
  drainPollMs: 100,
  firstRetryMs: 1000,
}

/** The longest time that an `onDispose` callback can ask for. */
const MAX_DISPOSE_MS = 3000

type Disposer = { readonly dispose: () => void | Promise<void>; readonly withinMs: number }

type GenerationInit = {
  readonly definition: PluginDefinition
  /** The number of the generation among those of the plugin, from 1. */
  readonly number: number
  readonly section: PluginSection
  readonly parts: GenerationParts
  readonly kept: KeptObjects
  readonly limits: GenerationLimits
}

/**
 * One start of a plugin: all that its `setup` made, until all of it is undone. Nothing of it is visible to others before
 * `activate`, so that it can be set up beside its predecessor, and a failure leaves no trace.
 */
export class Generation implements ContextSource {
  readonly definition: PluginDefinition
  readonly number: number
  readonly log: Logger
  readonly owner: GenerationOwner
  readonly streams: GenerationStreams
  readonly parts: GenerationParts
  readonly kept: KeptObjects
  readonly timers: GenerationTimers
  readonly ports: GenerationPorts
  /** The tables of the plugin; undefined when its definition has none. */
  readonly tables: GenerationTables | undefined
  readonly #limits: GenerationLimits
  readonly #controller = new AbortController()
  readonly #configListeners: ((config: PluginValues) => void)[] = []
  readonly #disposers: Disposer[] = []
  /** The holds that delay the end of the generation while it drains. */
  readonly #holds = new Set<object>()
  #onActivate: (() => void)[] = []
  /** The listeners to the drain; undefined once they were called. */
  #drainListeners: ((cause: DrainCause) => void)[] | undefined = []
  #drainCause: DrainCause = 'removed'
  #phase: 'starting' | 'running' | 'draining' | 'disposed' = 'starting'
  #section: PluginSection
  #http: GenerationHttp | undefined
  #pages: readonly ListedPage[] | undefined
  #disposal: Promise<void> | undefined

  constructor({ definition, number, section, parts, kept, limits }: GenerationInit) {
    const { name } = definition
    const config = section.values
    this.definition = definition
    this.number = number
    this.#section = section
    this.parts = parts
    this.kept = kept
    this.#limits = limits
    this.log = parts.createLog(name, config)
    this.owner = { plugin: name, generation: number, log: this.log }
    this.timers = new GenerationTimers(this.owner)
    this.ports = new GenerationPorts(this.owner, parts, () => this.#section)
    this.tables = definition.tables && parts.store.lend(name, definition.tables, definition.formerNames)
    this.streams = parts.streams.forOwner({ ...this.owner, config, closingNotice: definition.closingNotice ?? false })
  }

  get config(): PluginValues {
    return this.#section.values
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The addresses of the TCP listeners, without those of HTTP. */
  get listeners(): TcpListener['addresses'] {
    return this.ports.addresses
  }

  /** The addresses of the UDP listeners, without those of single sessions. */
  get udpListeners(): readonly UdpListener['address'][] {
    return this.ports.udp.addresses
  }

  /** The pages that it has, by their addresses on the server; undefined where its definition names none. */
  get pages(): readonly ListedPage[] | undefined {
    return this.#pages
  }

  /** True until it takes over from the generation before. */
  get starting(): boolean {
    return this.#phase === 'starting'
  }

  /** True until the generation is replaced or removed. */
  get taking(): boolean {
    return this.#phase === 'starting' || this.#phase === 'running'
  }

  /**
   * Runs the plugin's `setup`.
   * @throws {PluginError} when it fails or takes too long; all that it made is undone by then
   */
  async start(): Promise<void> {
    const { setupTimeoutMs } = this.#limits
    const late = () => new PluginLate(`setup did not finish within ${setupTimeoutMs} ms`)
    try {
      await this.#prepareTables()
      await withTurningDeadline(this.#setup(), setupTimeoutMs, late)
    } catch (cause) {
      await this.dispose('setup failed')
      if (cause instanceof PluginError) throw cause
      throw new PluginError(`setup failed: ${messageOf(cause)}`, { cause })
    }
  }

  /**
   * Makes its routes ready and binds its ports; the generation before goes on until `activate`.
   * @throws {PluginError} when that fails or takes too long; all that it made is undone by then
   */
  async bind(): Promise<void> {
    const late = () => new PluginLate(`its routes were not ready within ${this.#limits.setupTimeoutMs} ms`)
    try {
      await withTurningDeadline(this.#http?.activate() ?? Promise.resolve(), this.#limits.setupTimeoutMs, late)
      await this.ports.bind()
      this.assertLoaded()
    } catch (cause) {
      await this.dispose('activation failed')
      throw cause instanceof PluginError ? cause : new PluginError(messageOf(cause), { cause })
    }
  }

  /**
   * Takes over from the generation before in this turn: its hooks, services and ports.
   * @throws {PluginError} when services can't be taken over; the caller disposes it then
   */
  activate(): void {
    try {
      for (const action of this.#onActivate) action()
    } catch (cause) {
      throw cause instanceof PluginError ? cause : new PluginError(messageOf(cause), { cause })
    }
    this.#onActivate = []
    this.#phase = 'running'
    this.ports.activate()
  }

  /** Applies a config that differs from the present one only in keys that the plugin takes live. */
  configure(section: PluginSection): void {
    this.#section = section
    this.log.level = section.values.loglevel
    this.streams.configure(section.values)
    for (const listener of this.#configListeners) guard(this.log, 'config listener', () => listener(section.values))
  }

  /**
   * Stops accepting new work, and disposes the generation when its connections, sessions and requests have ended, or after
   * `timeoutMs`; 0 is no limit. A running generation is replaced or removed this way.
   */
  async drain(reason: string, timeoutMs: number, cause: DrainCause): Promise<void> {
    if (this.#phase === 'running') {
      this.#drainCause = cause
      this.#phase = 'draining'
      this.#withdraw()
      this.#notifyDrain()
      await this.#idle(timeoutMs)
    }
    await this.dispose(reason)
  }

  /** Ends the sessions, and undoes all that the generation made. Idempotent. */
  dispose(reason: string): Promise<void> {
    this.#disposal ??= this.#dispose(reason)
    return this.#disposal
  }

  /** @throws {PluginError} when the generation is disposed */
  assertLoaded(): void {
    if (this.#phase === 'disposed') throw this.#unloaded()
  }

  /** Runs an action that others notice: now, or when the generation takes over. */
  onceActive(action: () => void): void {
    if (this.#phase === 'starting') this.#onActivate.push(action)
    else if (this.#phase === 'running') action()
  }

  onConfig(listener: (config: PluginValues) => void): void {
    this.#configListeners.push(listener)
  }

  /** Calls `listener` when the generation drains, or at once when it drains already. */
  onDrain(listener: (cause: DrainCause) => void): void {
    if (this.#drainListeners === undefined) guard(this.log, 'drain listener', () => listener(this.#drainCause))
    else this.#drainListeners.push(listener)
  }

  /** Calls `dispose` at the end of the generation, or at once when it has ended already. */
  onDispose(dispose: Disposer['dispose'], { withinMs = this.#limits.disposeTimeoutMs }: DisposeOptions = {}): void {
    const disposer = { dispose, withinMs: Math.min(withinMs, MAX_DISPOSE_MS) }
    if (this.#phase === 'disposed') void this.#runDisposer(disposer)
    else this.#disposers.push(disposer)
  }

  /** See `PluginContext.hold`. */
  hold(): () => void {
    this.assertLoaded()
    const held = {}
    this.#holds.add(held)
    return () => void this.#holds.delete(held)
  }

  /** Waits for the plugin's migrations without a time limit. */
  async #prepareTables(): Promise<void> {
    try {
      await this.tables?.prepare()
    } catch (cause) {
      throw new PluginError(messageOf(cause), { cause })
    }
  }

  async #setup(): Promise<void> {
    const { name, mounts = [name] } = this.definition
    const http = await this.parts.http.createPluginHttp({ name, mounts, config: this.config.http, log: this.log })
    if (!this.taking) {
      await http.dispose()
      return
    }
    this.#http = http
    const { pages } = this.definition
    this.#pages = pages && servePages(http.instance, { pages, mounts, log: this.log })
    const context: PluginContext<PluginValues> = createContext(this, http)
    await callPlugin(name, () => this.definition.setup(context))
  }

  #notifyDrain(): void {
    const listeners = this.#drainListeners ?? []
    this.#drainListeners = undefined
    for (const listener of listeners) guard(this.log, 'drain listener', () => listener(this.#drainCause))
  }

  #withdraw(): void {
    this.parts.hooks.removeOwner(this.owner)
    this.parts.services.removeOwner(this.owner)
    this.streams.dispose()
    guard(this.log, 'retreat of its routes', () => this.#http?.retire())
    this.ports.release()
  }

  async #idle(timeoutMs: number): Promise<void> {
    const deadlineMs = timeoutMs === 0 ? Infinity : performance.now() + timeoutMs
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => {
      const sessions = this.ports.connectionCount + this.streams.sessionCount + this.#holds.size
      const open = sessions + (this.#http?.openRequests ?? 0)
      if (open === 0 || performance.now() >= deadlineMs || this.#phase === 'disposed') resolve()
    }
    const timer = setInterval(check, this.#limits.drainPollMs)
    check()
    await promise
    clearInterval(timer)
  }

  async #dispose(reason: string): Promise<void> {
    this.#notifyDrain()
    this.#phase = 'disposed'
    this.#http?.leave()
    this.#withdraw()
    this.streams.close(reason)
    this.timers.end()
    this.#controller.abort(new PluginError(reason))
    for (const dispose of this.#disposers.toReversed()) await this.#runDisposer(dispose)
    await this.#inTime('end of its tasks', () => this.parts.tasks.stopOwner(this.owner, reason))
    await this.#inTime('end of its requests', () => this.#http?.dispose())
    this.tables?.close(() => this.#unloaded())
    this.parts.metrics.removeOwner(this.owner)
    this.ports.close()
  }

  #unloaded(): PluginError {
    return new PluginError(`plugin '${this.definition.name}' is unloaded`)
  }

  #runDisposer({ dispose, withinMs }: Disposer): Promise<void> {
    return this.#inTime('dispose callback', dispose, withinMs)
  }

  async #inTime(what: string, call: () => unknown, withinMs = this.#limits.disposeTimeoutMs): Promise<void> {
    const late = () => new PluginError(`not finished within ${withinMs} ms`)
    try {
      const result = call()
      if (isPromiseLike(result)) await withDeadline(result, withinMs, late)
    } catch (err) {
      this.log.error({ err }, `${what} failed`)
    }
  }
}
