import path from 'node:path'
import type { Logger } from 'pino'
import type { PluginDefinition } from 'sluice/sdk'
import { Attempt, Superseded } from './attempt.ts'
import { hasPullRules, PULL_KEYS } from '../config/schema.ts'
import type { PluginCandidate } from './loading/discovery.ts'
import type { DrainingGenerations } from './generation/draining-generations.ts'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'
import type { Generation, GenerationLimits } from './generation/generation.ts'
import { GenerationLine } from './generation-line.ts'
import { isLive } from './live-keys.ts'
import { PluginCode } from './plugin-code.ts'
import { messageOf } from '../base/message-of.ts'
import type { PluginView } from './plugin-view.ts'
import type { StartNode } from './start-order.ts'
import { StepQueue } from './step-queue.ts'

type SlotState = 'loading' | 'loaded' | 'waiting' | 'starting' | 'running' | 'failed' | 'off'

type SlotDeps = {
  readonly log: Logger
  readonly parts: GenerationParts
  readonly limits: GenerationLimits
  readonly draining: DrainingGenerations
  /** The section that the newest version of a running plugin is to run with; throws when it can't run, saying why. */
  readonly admit: (slot: PluginSlot, definition: PluginDefinition) => PluginSection
  /** A step has ended; others may have waited for it. */
  readonly onStep: () => void
}

/** Code that is newer than what runs, and could not take over yet. */
type NewerCode = {
  readonly definition: PluginDefinition
  /** It was not even tried: what it requires is missing, or its section of the config is wrong. */
  refused: boolean
}

/** One plugin's place in the host: what was found there, and what runs of it. Its steps are done one after another. */
export class PluginSlot {
  readonly steps: StepQueue
  readonly #attempt = new Attempt()
  readonly code: PluginCode
  readonly #generations: GenerationLine
  readonly #deps: SlotDeps
  #state: SlotState = 'loading'
  #definition: PluginDefinition | undefined
  #section: PluginSection | undefined
  #newer: NewerCode | undefined
  #error: string | undefined
  /** Why it must wait, though nothing is wrong with itself. */
  #obstacle: string | undefined
  #configError: Error | undefined
  /** The running generation has another config than the file. */
  #stale = false
  #removed = false

  constructor(candidate: PluginCandidate, deps: SlotDeps) {
    const { log, limits } = deps
    this.code = new PluginCode(candidate, { log, timeoutMs: limits.setupTimeoutMs }, this.#attempt)
    this.#generations = new GenerationLine(deps, this.#attempt)
    this.#deps = deps
    this.steps = new StepQueue({ onError: (error) => this.#fail(error), onStep: deps.onStep })
  }

  get name(): string {
    return this.#definition?.name ?? path.parse(this.code.candidate.path).name
  }

  get #current(): Generation | undefined {
    return this.#generations.current
  }

  get state(): SlotState {
    return this.#state
  }

  get configError(): Error | undefined {
    return this.#configError
  }

  /** Whether its definition is the one that counts for its name, whatever became of it. */
  get holdsName(): boolean {
    return this.#section !== undefined
  }

  get node(): StartNode {
    const { requires = [], provides = [] } = this.#definition ?? {}
    const down = this.#state === 'failed' || this.#state === 'off' || this.#obstacle !== undefined
    return { name: this.name, requires, provides, state: this.#current ? 'up' : down ? 'down' : 'pending' }
  }

  view(): PluginView {
    const { version = '', description = '' } = this.#definition ?? {}
    const reason = this.#disableReason()
    const state = this.#current ? 'running' : reason === undefined ? 'starting' : 'disabled'
    return {
      name: this.name,
      version,
      description,
      generation: this.#generations.count,
      state,
      disableReason: reason,
      lastError: this.#current ? this.#error : undefined,
      definition: this.#definition,
      config: this.#section,
      listeners: this.#generations.listeners,
      loadMs: this.code.loadMs,
      setupMs: this.#generations.setupMs,
    }
  }

  /** Loads the code anew, and replaces what runs of it. */
  load(candidate: PluginCandidate): void {
    this.code.candidate = candidate
    this.#attempt.supersede()
    this.steps.push(() => this.#reload())
    if (!this.#current) this.#state = 'loading'
  }

  /** Takes the name of the loaded definition, and learns its config. */
  adopt(): void {
    if (this.#definition === undefined) return
    try {
      this.#section = this.#deps.parts.config.declare(this.#definition)
      this.#configError = undefined
    } catch (error) {
      this.#configError = error instanceof Error ? error : new Error(String(error))
      this.hinder(`has a wrong config: ${this.#configError.message}`)
      return
    }
    this.#obstacle = undefined
    this.#state = this.#section.enabled ? 'waiting' : 'off'
  }

  /** Says what keeps it from starting for now; undefined when it only has to wait. */
  hinder(obstacle: string | undefined): void {
    const isNew = obstacle !== undefined && obstacle !== this.#obstacle
    if (isNew) this.#deps.log.error({ plugin: this.name }, `plugin '${this.name}' ${obstacle}`)
    this.#obstacle = obstacle
  }

  start(): void {
    this.#obstacle = undefined
    this.#state = 'starting'
    this.steps.push(() => this.#start())
  }

  /** Tries newer code again that was refused, once nothing speaks against it. */
  reconsider(): void {
    if (!this.#newer?.refused) return
    try {
      this.#deps.admit(this, this.#newer.definition)
    } catch {
      return
    }
    this.#retry(this.#newer)
  }

  /** Takes over another config; `keys` have changed. */
  configure(keys: readonly string[]): void {
    this.steps.push(() => this.#configure(keys))
    // It may be what newer code has waited for.
    if (this.#newer) this.#retry(this.#newer)
  }

  remove(): void {
    this.#removed = true
    this.#attempt.supersede()
    if (this.#section !== undefined && this.#definition) this.#deps.parts.config.forget(this.#definition.name)
    this.steps.push(async () => this.#generations.retire('plugin removed'))
  }

  /** Ends what runs, at once. */
  async dispose(reason: string): Promise<void> {
    this.#removed = true
    this.#attempt.supersede()
    await this.#generations.dispose(reason)
  }

  #disableReason(): string | undefined {
    if (this.#current) return undefined
    if (this.#state === 'off') return 'switched off in the config'
    return this.#state === 'failed' ? this.#error : this.#obstacle
  }

  #fail(err: unknown): void {
    if (err instanceof Superseded) return
    this.#error = messageOf(err)
    if (!this.#current) this.#state = 'failed'
    if (this.#removed) return
    const fate = this.#current ? `generation ${this.#current.number} goes on` : 'it is disabled'
    this.#deps.log.error({ plugin: this.name, err }, `plugin '${this.name}' ${this.#error}; ${fate}`)
  }

  async #reload(): Promise<void> {
    this.#newer = undefined
    await this.#take(await this.code.load(this.name))
  }

  async #take(definition: PluginDefinition): Promise<void> {
    if (this.#removed) return
    if (this.#current) await this.#upgrade(definition)
    else this.#accept(definition)
  }

  #retry(newer: NewerCode): void {
    newer.refused = false
    this.steps.push(async () => {
      // A step before this one may have loaded newer code still.
      if (this.#newer === newer) await this.#take(newer.definition)
    })
  }

  #accept(definition: PluginDefinition): void {
    this.#giveUpName(definition)
    this.#definition = definition
    this.#section = undefined
    this.#newer = undefined
    this.#error = undefined
    this.#obstacle = undefined
    this.#state = 'loaded'
  }

  async #upgrade(definition: PluginDefinition): Promise<void> {
    const newer: NewerCode = { definition, refused: true }
    this.#newer = newer
    const { config } = this.#deps.parts
    if (definition.name === this.name) config.propose(definition)
    const section = this.#deps.admit(this, definition)
    newer.refused = false
    if (section.enabled) await this.#generations.replace(definition, section, 'plugin replaced')
    else this.#switchOff()
    this.#giveUpName(definition)
    this.#definition = definition
    this.#section = section
    this.#stale = false
    this.#newer = undefined
    this.#error = undefined
    config.declare(definition)
  }

  /** The new version may have another name. */
  #giveUpName(definition: PluginDefinition): void {
    if (this.#section === undefined || this.#definition === undefined) return
    if (this.#definition.name !== definition.name) this.#deps.parts.config.forget(this.#definition.name)
  }

  async #start(): Promise<void> {
    const definition = this.#definition
    const section = this.#section
    // A step before this one may have changed what is to be done.
    if (definition === undefined || section === undefined || this.#state !== 'starting' || this.#removed) return
    await this.#generations.start(definition, section)
    this.#state = 'running'
    this.#stale = false
    this.#error = undefined
  }

  async #configure(keys: readonly string[]): Promise<void> {
    const definition = this.#definition
    if (definition === undefined || this.#section === undefined || this.#removed) return
    const section = this.#suitable(definition)
    if (section === undefined) return
    // On pull rules the host acts itself.
    const own = hasPullRules(definition) ? keys.filter((key) => !PULL_KEYS.has(key)) : keys
    if (!section.enabled) {
      this.#section = section
      this.#switchOff()
    } else if (!this.#current) {
      // What ran before would not be what lies there.
      if (this.code.error !== undefined) throw this.code.error
      this.#section = section
      this.#state = 'waiting'
    } else if (!this.#stale && own.every((key) => isLive(definition, key))) {
      this.#section = section
      if (own.length > 0) this.#current.configure(section)
    } else {
      this.#stale = true
      await this.#generations.replace(definition, section, 'config changed')
      this.#section = section
      this.#stale = false
      if (this.#newer === undefined && this.code.error === undefined) this.#error = undefined
    }
  }

  /** The section as it is now; undefined where it is right for newer code only, which is tried next. */
  #suitable(definition: PluginDefinition): PluginSection | undefined {
    try {
      return this.#deps.parts.config.resolve(definition)
    } catch (error) {
      this.#stale = true
      if (this.#newer === undefined) throw error
      return undefined
    }
  }

  #switchOff(): void {
    this.#generations.retire('plugin switched off')
    this.#state = 'off'
  }
}
