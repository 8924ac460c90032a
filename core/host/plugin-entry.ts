import path from 'node:path'
import type { Logger } from 'pino'
import { messageOf, type PluginDefinition } from 'sluice/sdk'
import { hostKeys } from '../config/schema.ts'
import type { Peers } from '../peers/peers.ts'
import { Declaration } from './declaration.ts'
import { availabilityIn, disableReasonIn, type EntryState, type NewerCode, type RunningState } from './entry-state.ts'
import type { PluginSection } from './generation/generation-parts.ts'
import type { Generation } from './generation/generation.ts'
import { isLive } from './live-keys.ts'
import type { PluginCandidate } from './loading/discovery.ts'
import { PluginCode } from './plugin-code.ts'
import { isListenFailure, isPassing, NOT_APPLIED, PluginLate, setupLaterOf, VersionOutdated } from './plugin-error.ts'
import { PluginGenerations, type PluginGenerationsOptions } from './plugin-generations.ts'
import { viewOf, type PluginView } from './plugin-view.ts'
import { RetryTimer } from '../base/retry-timer.ts'
import { RunClaim } from './run-claim.ts'
import type { StartNode } from './start-order.ts'
import { StepQueue } from './step-queue.ts'

type PluginEntryOptions = PluginGenerationsOptions & {
  readonly log: Logger
  readonly peers: Pick<Peers, 'claim'>
  /**
   * Returns the section that a definition would run with beside the other plugins; throws with the reason when it can't run.
   */
  readonly admit: (entry: PluginEntry, definition: PluginDefinition) => PluginSection
  /**
   * Called when a step has ended, or the process has got or lost the claim to the plugin, as other plugins may have waited
   * for it.
   */
  readonly onStep: () => void
}

/** The obstacle of a plugin that another process of the server runs. */
const ELSEWHERE = 'is left to another process of the server'

/** The newer or broken code that remains open after a generation has taken over. */
type Rest = Pick<RunningState, 'newer' | 'error'>

/** One plugin in the host: the code that was found, and the running generation. Its steps are done one after another. */
export class PluginEntry {
  readonly code: PluginCode
  readonly steps: StepQueue
  readonly #options: PluginEntryOptions
  readonly #generations: PluginGenerations
  readonly #retries: RetryTimer
  readonly #declaration: Declaration
  readonly #claim: RunClaim
  #state: EntryState = { kind: 'loading' }
  /** Aborts when newer code is found, or the plugin is removed. */
  #version = new AbortController()

  constructor(candidate: PluginCandidate, options: PluginEntryOptions) {
    const { log, limits } = options
    this.code = new PluginCode(candidate, { log, timeoutMs: limits.setupTimeoutMs })
    this.steps = new StepQueue({ onError: (error) => this.#fail(error), onStep: options.onStep })
    this.#options = options
    this.#declaration = new Declaration(options.parts.config)
    this.#generations = new PluginGenerations(options)
    this.#claim = new RunClaim(options.peers, options.onStep)
    const retry = () => this.steps.push(() => this.#tryAgain())
    this.#retries = new RetryTimer({ firstMs: limits.firstRetryMs, retry })
  }

  get name(): string {
    return this.#declaration.definition?.name ?? path.parse(this.code.candidate.path).name
  }

  get state(): EntryState['kind'] {
    return this.#state.kind
  }

  /** The errors in its section of the config, when they keep it from its name. */
  get configError(): Error | undefined {
    return this.#state.kind === 'loaded' ? this.#state.configError : undefined
  }

  /** True when the plugin has its name, in any state. */
  get holdsName(): boolean {
    return this.#declaration.section !== undefined
  }

  /** True for a plugin that is disposed after all others when the server stops. */
  get endsLast(): boolean {
    return this.#declaration.definition?.endsLast === true
  }

  /** True for a plugin that starts after all others that can start. */
  get startsLast(): boolean {
    return this.#declaration.definition?.startsLast === true
  }

  get node(): StartNode {
    const { requires = [], provides = [] } = this.#declaration.definition ?? {}
    return { name: this.name, requires, provides, state: availabilityIn(this.#state) }
  }

  /** True while it has steps that others wait for; the retry of a failed start is none. */
  get busy(): boolean {
    return this.steps.busy && !this.#retries.retrying
  }

  view(): PluginView {
    const { definition, section } = this.#declaration
    const { count: generation, setupMs } = this.#generations
    const { loadMs } = this.code
    return viewOf({ name: this.name, definition, section, state: this.#state, generation, loadMs, setupMs })
  }

  /** Loads the code again, and replaces the running generation. */
  load(candidate: PluginCandidate): void {
    this.code.candidate = candidate
    this.#retries.reset()
    this.#version.abort(new VersionOutdated())
    this.#version = new AbortController()
    if (this.#running === undefined) this.#become({ kind: 'loading' })
    this.steps.push(() => this.#reload())
  }

  /** Takes the name of the loaded definition, and reads its config. */
  adopt(): void {
    const { definition } = this.#declaration
    if (definition === undefined || this.#state.kind !== 'loaded') return
    try {
      const { enabled } = this.#declaration.declare(definition)
      this.#become(enabled ? { kind: 'waiting', obstacle: undefined, isOff: false } : { kind: 'off' })
    } catch (error) {
      const configError = error instanceof Error ? error : new Error(String(error))
      this.#become({ ...this.#state, configError })
      this.hinder(`has a wrong config: ${configError.message}`)
    }
  }

  /** Sets the obstacle to its start: a failure or, with `off`, the config; undefined when it only has to wait. */
  hinder(obstacle: string | undefined, as: 'down' | 'off' = 'down'): void {
    const state = this.#state
    if (state.kind !== 'loaded' && state.kind !== 'waiting') return
    const isNew = obstacle !== undefined && obstacle !== state.obstacle
    const level = as === 'off' ? 'info' : 'error'
    if (isNew) this.#options.log[level]({ plugin: this.name }, `plugin '${this.name}' ${obstacle}`)
    this.#become(state.kind === 'loaded' ? { ...state, obstacle } : { ...state, obstacle, isOff: as === 'off' })
  }

  start(): void {
    this.#become({ kind: 'starting' })
    this.steps.push(async () => {
      // A step before this one may have changed the state.
      if (this.#state.kind === 'starting') await this.#start()
    })
  }

  /** True when it waits for its start, and only required plugins may still be missing. */
  mayStart(): boolean {
    const { definition } = this.#declaration
    if (definition === undefined || this.#state.kind !== 'waiting') return false
    const isOurs = this.#claim.admits(definition)
    if (!isOurs) this.hinder(ELSEWHERE, 'off')
    return isOurs
  }

  /** Ends the running generation when another process has got the claim to the plugin. */
  giveWay(): void {
    const { definition } = this.#declaration
    if (definition === undefined || this.#running === undefined || this.#claim.admits(definition)) return
    this.steps.push(async () => this.#leave())
  }

  /** Retries newer code that was refused, once it is admitted. */
  reconsider(): void {
    const newer = this.#running?.newer
    if (newer?.refused === true && this.#isAdmitted(newer.definition)) this.#retry(newer)
  }

  /** Takes over another config: live when the plugin takes all changed `keys` live, else by another generation. */
  configure(keys?: readonly string[]): void {
    this.#retries.reset()
    this.steps.push(() => this.#configure(keys))
    // Newer code may have waited for this config.
    const newer = this.#running?.newer
    if (newer !== undefined) this.#retry(newer)
  }

  /** Gives the name up, and retires the running generation. */
  remove(): void {
    this.#declaration.forget()
    this.#end()
    this.steps.push(async () => {
      this.#generations.retireAll('plugin removed')
      this.#claim.release()
    })
  }

  /** Ends the running generation at once. */
  async dispose(reason: string): Promise<void> {
    this.#end()
    await this.#generations.dispose(reason)
    this.#claim.release()
  }

  get #running(): RunningState | undefined {
    return this.#state.kind === 'running' ? this.#state : undefined
  }

  /** Changes the state; `removed` is final. */
  #become(state: EntryState): void {
    if (this.#state.kind !== 'removed') this.#state = state
  }

  #end(): void {
    this.#become({ kind: 'removed' })
    this.#retries.reset()
    this.#version.abort(new VersionOutdated())
  }

  #fail(err: unknown): void {
    if (err instanceof VersionOutdated || this.#state.kind === 'removed') return
    const running = this.#running
    const error = running?.stale === true ? `${messageOf(err)}; ${NOT_APPLIED}` : messageOf(err)
    const isKnown = this.#retries.retrying && error === (running?.error ?? disableReasonIn(this.#state))
    this.#become(running === undefined ? { kind: 'failed', error } : { ...running, error })
    const fate = running === undefined ? 'it is disabled' : `generation ${running.generation.number} goes on`
    const line = `plugin '${this.name}' ${error}; ${fate}`
    // An error of loading the code is not retried, as each load stays in memory.
    if (isPassing(err) && err !== this.code.error) {
      const later = setupLaterOf(err)
      // The messages of these errors are complete, and a stack would only hide them.
      const cause = isListenFailure(err) || err instanceof PluginLate || later !== undefined ? {} : { err }
      const retried = `${line}, and it is tried again until it succeeds`
      if (!isKnown) this.#options.log.error({ plugin: this.name, ...cause }, retried)
      this.#retries.schedule(later?.afterMs)
    } else {
      this.#retries.reset()
      this.#options.log.error({ plugin: this.name, err }, line)
    }
  }

  /** Retries the step that failed for a passing reason. */
  async #tryAgain(): Promise<void> {
    const running = this.#running
    if (running?.newer !== undefined) await this.#upgrade(running.newer.definition)
    else if (running?.stale === true) await this.#configure([])
    else if (this.#state.kind === 'failed') await this.#start()
  }

  async #reload(): Promise<void> {
    if (this.#running) this.#become({ ...this.#running, newer: undefined })
    const definition = await this.code.load(this.name, this.#version.signal)
    this.#options.parts.config.locate(definition, this.code.place)
    if (this.#running) return this.#upgrade(definition)
    if (this.#state.kind === 'removed') return
    this.#declaration.accept(definition)
    this.#become({ kind: 'loaded', obstacle: undefined, configError: undefined })
  }

  #retry(newer: NewerCode): void {
    const tried = { ...newer, refused: false }
    if (this.#running) this.#become({ ...this.#running, newer: tried })
    this.steps.push(async () => {
      // A step before this one may have loaded even newer code.
      if (this.#running?.newer === tried) await this.#upgrade(tried.definition)
    })
  }

  #isAdmitted(definition: PluginDefinition): boolean {
    try {
      this.#options.admit(this, definition)
      return true
    } catch {
      return false
    }
  }

  /** Replaces the running generation by newer code. */
  async #upgrade(definition: PluginDefinition): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#become({ ...running, newer: { definition, refused: true } })
    this.#declaration.propose(definition)
    const section = this.#options.admit(this, definition)
    this.#become({ ...running, newer: { definition, refused: false } })
    if (section.enabled) await this.#replace(definition, section, 'plugin replaced')
    else this.#switchOff()
    if (this.state !== 'removed') this.#declaration.replace(definition, section)
  }

  /** Starts the first generation, or the first after a time without. */
  async #start(): Promise<void> {
    const { definition, section } = this.#declaration
    if (definition === undefined || section === undefined) return
    if (!this.#claim.admits(definition)) return this.#wait()
    // When a required plugin has gone before a retry, the host waits for it.
    if (this.#state.kind === 'failed' && !this.#isAdmitted(definition)) return this.#wait()
    this.#run(await this.#generations.start(definition, section, this.#version.signal))
  }

  /** Starts another generation in place of the running one; `rest` is the newer or broken code that remains open then. */
  async #replace(definition: PluginDefinition, section: PluginSection, reason: string, rest?: Rest): Promise<void> {
    const former = this.#running?.generation
    if (former === undefined) return
    this.#run(await this.#generations.replace(former, { definition, section, reason }, this.#version.signal), rest)
  }

  #run(generation: Generation, { newer, error }: Rest = { newer: undefined, error: undefined }): void {
    this.#retries.reset()
    this.#become({ kind: 'running', generation, stale: false, newer, error })
  }

  async #configure(keys?: readonly string[]): Promise<void> {
    const { definition } = this.#declaration
    if (definition === undefined || !this.holdsName || this.#state.kind === 'removed') return
    const section = this.#suitable(definition)
    if (section === undefined) return
    const hosts = hostKeys(definition)
    const own = keys?.filter((key) => !hosts.has(key))
    const running = this.#running
    if (!section.enabled) {
      this.#switchOff()
    } else if (running === undefined) {
      // The definition is that of older code, as the present code is broken.
      if (this.code.error !== undefined) throw this.code.error
      this.#wait()
    } else if (!running.stale && own?.every((key) => isLive(definition, key)) === true) {
      if (own.length > 0) running.generation.configure(section)
    } else {
      this.#become({ ...running, stale: true })
      const isCodeOpen = running.newer !== undefined || this.code.error !== undefined
      await this.#replace(definition, section, 'config changed', isCodeOpen ? running : undefined)
    }
    this.#declaration.section = section
  }

  /** The present section; undefined when only the newer code accepts it, which is tried next. */
  #suitable(definition: PluginDefinition): PluginSection | undefined {
    try {
      return this.#options.parts.config.resolve(definition)
    } catch (error) {
      const running = this.#running
      if (running) this.#become({ ...running, stale: true })
      if (running?.newer === undefined) throw error
      return undefined
    }
  }

  #switchOff(): void {
    this.#generations.retireAll('plugin switched off')
    this.#claim.release()
    this.#become({ kind: 'off' })
  }

  /** Retires the running generation, unless the process has got the claim back. */
  #leave(): void {
    const { definition } = this.#declaration
    if (definition === undefined || this.#running === undefined || this.#claim.admits(definition)) return
    this.#generations.retireAll('another process runs it')
    this.#wait()
  }

  #wait(): void {
    this.#become({ kind: 'waiting', obstacle: undefined, isOff: false })
  }
}
