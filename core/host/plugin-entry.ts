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
  /** The section that a definition is to run with beside the other plugins; throws when it can't run, saying why. */
  readonly admit: (entry: PluginEntry, definition: PluginDefinition) => PluginSection
  /** A step has ended, or the claim to the plugin has come or gone; others may have waited for it. */
  readonly onStep: () => void
}

/** The obstacle of a plugin that one process alone runs, in all others. */
const ELSEWHERE = 'is left to another process of the server'

/** What a generation that takes over leaves open: code that is newer still, or broken. */
type Rest = Pick<RunningState, 'newer' | 'error'>

/** One plugin's place in the host: what was found there, and what runs of it. Its steps are done one after another. */
export class PluginEntry {
  readonly code: PluginCode
  readonly steps: StepQueue
  readonly #options: PluginEntryOptions
  readonly #generations: PluginGenerations
  readonly #retries: RetryTimer
  readonly #declaration: Declaration
  readonly #claim: RunClaim
  #state: EntryState = { kind: 'loading' }
  /** Aborts when newer code is there, or the plugin is removed. */
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

  /** The mistakes in its section of the config, where they keep it from its name. */
  get configError(): Error | undefined {
    return this.#state.kind === 'loaded' ? this.#state.configError : undefined
  }

  /** True when its definition is the one that counts for its name, whatever became of it. */
  get holdsName(): boolean {
    return this.#declaration.section !== undefined
  }

  /** True for one that is disposed after all others when the server stops. */
  get endsLast(): boolean {
    return this.#declaration.definition?.endsLast === true
  }

  /** True for one that starts after all others that can start. */
  get startsLast(): boolean {
    return this.#declaration.definition?.startsLast === true
  }

  get node(): StartNode {
    const { requires = [], provides = [] } = this.#declaration.definition ?? {}
    return { name: this.name, requires, provides, state: availabilityIn(this.#state) }
  }

  /** True while it has something to do that others wait for; a further try of what has failed is nothing such. */
  get busy(): boolean {
    return this.steps.busy && !this.#retries.retrying
  }

  view(): PluginView {
    const { definition, section } = this.#declaration
    const { count: generation, setupMs } = this.#generations
    const { loadMs } = this.code
    return viewOf({ name: this.name, definition, section, state: this.#state, generation, loadMs, setupMs })
  }

  /** Loads the code anew, and replaces what runs of it. */
  load(candidate: PluginCandidate): void {
    this.code.candidate = candidate
    this.#retries.reset()
    this.#version.abort(new VersionOutdated())
    this.#version = new AbortController()
    if (this.#running === undefined) this.#become({ kind: 'loading' })
    this.steps.push(() => this.#reload())
  }

  /** Takes the name of the loaded definition, and learns its config. */
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

  /** Says what keeps it from starting for now, a failure or, with `off`, the config; undefined when it only has to wait. */
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
      // A step before this one may have changed what is to be done.
      if (this.#state.kind === 'starting') await this.#start()
    })
  }

  /** Whether it waits to be started, and nothing but what it requires speaks against that. */
  mayStart(): boolean {
    const { definition } = this.#declaration
    if (definition === undefined || this.#state.kind !== 'waiting') return false
    const isOurs = this.#claim.admits(definition)
    if (!isOurs) this.hinder(ELSEWHERE, 'off')
    return isOurs
  }

  /** Ends what runs where another process has got the claim to the plugin. */
  giveWay(): void {
    const { definition } = this.#declaration
    if (definition === undefined || this.#running === undefined || this.#claim.admits(definition)) return
    this.steps.push(async () => this.#leave())
  }

  /** Tries newer code again that was refused, once nothing speaks against it. */
  reconsider(): void {
    const newer = this.#running?.newer
    if (newer?.refused === true && this.#isAdmitted(newer.definition)) this.#retry(newer)
  }

  /** Takes over another config, by another generation unless it takes all `keys` live that have changed. */
  configure(keys?: readonly string[]): void {
    this.#retries.reset()
    this.steps.push(() => this.#configure(keys))
    // It may be what newer code has waited for.
    const newer = this.#running?.newer
    if (newer !== undefined) this.#retry(newer)
  }

  /** Gives its name up, and lets what runs come to its end. */
  remove(): void {
    this.#declaration.forget()
    this.#end()
    this.steps.push(async () => {
      this.#generations.retireAll('plugin removed')
      this.#claim.release()
    })
  }

  /** Ends what runs, at once. */
  async dispose(reason: string): Promise<void> {
    this.#end()
    await this.#generations.dispose(reason)
    this.#claim.release()
  }

  get #running(): RunningState | undefined {
    return this.#state.kind === 'running' ? this.#state : undefined
  }

  /** There is no way back from `removed`. */
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
    // What code does while it is loaded is not tried again: each load stays in memory.
    if (isPassing(err) && err !== this.code.error) {
      const later = setupLaterOf(err)
      // These messages say all there is to know; the stack would only hide that.
      const cause = isListenFailure(err) || err instanceof PluginLate || later !== undefined ? {} : { err }
      const retried = `${line}, and it is tried again until it succeeds`
      if (!isKnown) this.#options.log.error({ plugin: this.name, ...cause }, retried)
      this.#retries.schedule(later?.afterMs)
    } else {
      this.#retries.reset()
      this.#options.log.error({ plugin: this.name, err }, line)
    }
  }

  /** Does again what something passing has prevented. */
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
      // A step before this one may have loaded newer code still.
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

  /** Replaces what runs by newer code. */
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
    // Where what it requires has gone before a further try, the host waits for that.
    if (this.#state.kind === 'failed' && !this.#isAdmitted(definition)) return this.#wait()
    this.#run(await this.#generations.start(definition, section, this.#version.signal))
  }

  /** Starts another generation in place of the one that runs; `rest` is what that leaves open. */
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
      // The code that ran before is not the code that lies there.
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

  /** The section as it is now; undefined where it is right for newer code only, which is tried next. */
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

  /** Lets what runs come to its end, unless the claim is back. */
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
