import path from 'node:path'
import type { Logger } from 'pino'
import type { PluginDefinition } from 'sluice/sdk'
import { hasPullRules, PULL_KEYS } from '../config/schema.ts'
import type { PluginCandidate } from './loading/discovery.ts'
import type { DrainingGenerations } from './generation/draining-generations.ts'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'
import { Generation, type GenerationLimits } from './generation/generation.ts'
import { startLoad, type ModuleLoad } from './loading/module-hooks.ts'
import { messageOf, PluginError } from './plugin-error.ts'
import { loadPlugin } from './loading/plugin-loader.ts'
import type { PluginView } from './plugin-view.ts'
import type { StartNode } from './start-order.ts'
import { StepQueue } from './step-queue.ts'

/** The modules of a load stay in memory for the life of the process; past this many, say so. */
const LOADS_WARNED = 100

type SlotState = 'loading' | 'loaded' | 'waiting' | 'starting' | 'running' | 'failed' | 'off'

type SlotDeps = {
  readonly log: Logger
  readonly parts: GenerationParts
  readonly limits: GenerationLimits
  readonly draining: DrainingGenerations
  /** Why the newest version of a running plugin can't take its place; undefined when it can. */
  readonly objection: (slot: PluginSlot, definition: PluginDefinition) => string | undefined
  /** A step has ended; others may have waited for it. */
  readonly onStep: () => void
}

/** One plugin's place in the host: what was found there, and what runs of it. Its steps are done one after another. */
export class PluginSlot {
  candidate: PluginCandidate
  readonly steps: StepQueue
  readonly #deps: SlotDeps
  #state: SlotState = 'loading'
  #definition: PluginDefinition | undefined
  #section: PluginSection | undefined
  #load: ModuleLoad | undefined
  #current: Generation | undefined
  #launching: Generation | undefined
  #error: string | undefined
  /** Why it must wait, though nothing is wrong with itself. */
  #obstacle: string | undefined
  #configError: Error | undefined
  /** The running generation has another config than the file. */
  #stale = false
  #removed = false
  #loads = 0
  #generations = 0
  #loadMs = 0
  #setupMs = 0

  constructor(candidate: PluginCandidate, deps: SlotDeps) {
    this.candidate = candidate
    this.#deps = deps
    this.steps = new StepQueue({ onError: (error) => this.#fail(error), onStep: deps.onStep })
  }

  get name(): string {
    return this.#definition?.name ?? path.parse(this.candidate.path).name
  }

  get state(): SlotState {
    return this.#state
  }

  get definition(): PluginDefinition | undefined {
    return this.#definition
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

  /** Whether its code lies in a file, or might. */
  concerns(file: string): boolean {
    const { kind, path: place } = this.candidate
    return (this.#load?.uses(file) ?? false) || (kind === 'folder' && file.startsWith(place + path.sep))
  }

  view(): PluginView {
    const { version = '', description = '' } = this.#definition ?? {}
    const reason = this.#disableReason()
    const state = this.#current ? 'running' : reason === undefined ? 'starting' : 'disabled'
    return {
      name: this.name,
      version,
      description,
      generation: this.#generations,
      state,
      disableReason: reason,
      lastError: this.#current ? this.#error : undefined,
      definition: this.#definition,
      config: this.#section,
      listeners: this.#current?.listeners ?? [],
      loadMs: this.#loadMs,
      setupMs: this.#setupMs,
    }
  }

  /** Loads the code anew, and replaces what runs of it. */
  load(candidate: PluginCandidate): void {
    this.candidate = candidate
    this.steps.push(() => this.#reload())
    if (!this.#current) this.#state = 'loading'
  }

  /** Takes the name of the loaded definition, unless another plugin has it, and learns its config. */
  adopt(holder: PluginSlot | undefined): void {
    if (this.#definition === undefined) return
    if (holder !== undefined && holder !== this) {
      this.hinder(sameName(holder))
      return
    }
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

  /** Takes over another config; `keys` have changed. */
  configure(keys: readonly string[]): void {
    this.steps.push(() => this.#configure(keys))
  }

  remove(): void {
    this.#removed = true
    if (this.#section !== undefined && this.#definition) this.#deps.parts.config.forget(this.#definition.name)
    this.steps.push(async () => this.#retire('plugin removed'))
  }

  /** Ends what runs, at once. */
  async dispose(reason: string): Promise<void> {
    this.#removed = true
    await Promise.all([this.#current?.dispose(reason), this.#launching?.dispose(reason)])
  }

  #disableReason(): string | undefined {
    if (this.#current) return undefined
    if (this.#state === 'off') return 'switched off in the config'
    return this.#state === 'failed' ? this.#error : this.#obstacle
  }

  #fail(err: unknown): void {
    this.#error = messageOf(err)
    if (!this.#current) this.#state = 'failed'
    if (this.#removed) return
    const fate = this.#current ? `generation ${this.#current.number} goes on` : 'it is disabled'
    this.#deps.log.error({ plugin: this.name, err }, `plugin '${this.name}' ${this.#error}; ${fate}`)
  }

  async #reload(): Promise<void> {
    const startMs = performance.now()
    this.#load = startLoad(this.candidate)
    this.#loads += 1
    if (this.#loads % LOADS_WARNED === 0) {
      this.#deps.log.warn({ plugin: this.name }, `${this.#loads} versions were loaded; a restart frees their memory`)
    }
    const definition = await loadPlugin(this.#load, this.#deps.limits.setupTimeoutMs)
    this.#loadMs = performance.now() - startMs
    if (this.#current) await this.#upgrade(definition)
    else this.#accept(definition)
  }

  #accept(definition: PluginDefinition): void {
    this.#giveUpName(definition)
    this.#definition = definition
    this.#section = undefined
    this.#error = undefined
    this.#obstacle = undefined
    this.#state = 'loaded'
  }

  async #upgrade(definition: PluginDefinition): Promise<void> {
    const objection = this.#deps.objection(this, definition)
    if (objection !== undefined) throw new PluginError(objection)
    await this.#replace(definition, this.#deps.parts.config.resolve(definition), 'plugin replaced')
    this.#giveUpName(definition)
    this.#definition = definition
    this.#section = this.#deps.parts.config.declare(definition)
  }

  /** The new version may have another name. */
  #giveUpName(definition: PluginDefinition): void {
    if (this.#section === undefined || this.#definition === undefined) return
    if (this.#definition.name !== definition.name) this.#deps.parts.config.forget(this.#definition.name)
  }

  async #start(): Promise<void> {
    const { definition, section } = this.#runnable()
    // A step before this one may have changed what is to be done.
    if (this.#current || !section.enabled) return
    this.#current = await this.#launch(definition, section)
    this.#state = 'running'
    this.#error = undefined
    this.#current.log.info({ version: definition.version, generation: this.#generations }, 'plugin started')
  }

  #runnable(): { definition: PluginDefinition; section: PluginSection } {
    if (this.#definition === undefined || this.#section === undefined) throw new PluginError('is not loaded')
    return { definition: this.#definition, section: this.#section }
  }

  async #configure(keys: readonly string[]): Promise<void> {
    if (this.#definition === undefined || this.#section === undefined) return
    const section = this.#deps.parts.config.resolve(this.#definition)
    // On pull rules the host acts itself.
    const own = hasPullRules(this.#definition) ? keys.filter((key) => !PULL_KEYS.has(key)) : keys
    if (!section.enabled) {
      this.#section = section
      this.#retire('plugin switched off')
      this.#state = 'off'
    } else if (!this.#current) {
      this.#section = section
      this.#state = 'waiting'
    } else if (!this.#stale && own.every((key) => isLive(this.#definition, key))) {
      this.#section = section
      if (own.length > 0) this.#current.configure(section)
    } else {
      this.#stale = true
      await this.#replace(this.#definition, section, 'config changed')
      this.#section = section
    }
  }

  async #replace(definition: PluginDefinition, section: PluginSection, reason: string): Promise<void> {
    const next = await this.#launch(definition, section)
    this.#retire(reason)
    this.#current = next
    this.#stale = false
    this.#error = undefined
    next.log.info({ generation: next.number }, `generation ${next.number} took over: ${reason}`)
  }

  #retire(reason: string): void {
    if (this.#current) this.#deps.draining.add(this.#current, reason)
    this.#current = undefined
  }

  async #launch(definition: PluginDefinition, section: PluginSection): Promise<Generation> {
    if (this.#removed) throw new PluginError('is removed')
    const startMs = performance.now()
    const { parts, limits } = this.#deps
    const generation = new Generation({ definition, number: this.#generations + 1, section, parts, limits })
    this.#launching = generation
    try {
      await generation.start()
      await generation.activate()
    } finally {
      this.#launching = undefined
    }
    this.#generations += 1
    this.#setupMs = performance.now() - startMs
    return generation
  }
}

/** What is wrong with a plugin whose name another one has. */
export function sameName(holder: PluginSlot): string {
  return `has the same name as ${holder.candidate.path}`
}

function isLive(definition: PluginDefinition | undefined, key: string): boolean {
  return definition?.live?.some((live) => key === live || key.startsWith(`${live}.`)) ?? false
}
