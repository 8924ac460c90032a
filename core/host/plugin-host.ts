import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PluginDefinition } from 'sluice/sdk'
import { withDeadline } from '../base/deadline.ts'
import { guard } from '../base/guard.ts'
import { discoverPlugins, type PluginCandidate, type PluginPlaces } from './loading/discovery.ts'
import { DrainingGenerations } from './generation/draining-generations.ts'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'
import { GENERATION_LIMITS, type GenerationLimits } from './generation/generation.ts'
import { PluginError } from './plugin-error.ts'
import { PluginSlot } from './plugin-slot.ts'
import { formatBootTree, type PluginView } from './plugin-view.ts'
import { PluginWatcher } from './loading/plugin-watcher.ts'
import { planStart, unmetReason } from './start-order.ts'

/** Plugins that have not let go by then are left behind. */
const STOP_TIMEOUT_MS = 4000

type PluginHostOptions = PluginPlaces & {
  readonly log: Logger
  readonly parts: GenerationParts
  /** `global.draintimeout`; 0 is no limit. */
  readonly drainTimeoutMs: () => number
  readonly limits?: Partial<GenerationLimits>
  /** Told when plugins may have started, changed or gone, their live config included. */
  readonly onChange?: (plugins: readonly PluginView[]) => void
}

/** What a reload of the config changed in a section; as `ConfigChange` of the config. */
type SectionChange = { readonly section: string; readonly keys: readonly string[] }

/** Finds, starts, watches, replaces and stops the plugins. One that fails is listed as disabled; the others go on. */
export class PluginHost {
  readonly #options: PluginHostOptions
  readonly #log: Logger
  readonly #slots = new Map<string, PluginSlot>()
  readonly #draining: DrainingGenerations
  #watcher: PluginWatcher | undefined
  #scans: Promise<void> = Promise.resolve()
  #phase: 'new' | 'loading' | 'loaded' | 'starting' | 'ready' | 'stopped' = 'new'

  constructor(options: PluginHostOptions) {
    this.#options = options
    this.#log = options.log
    this.#draining = new DrainingGenerations(options.drainTimeoutMs)
  }

  /** True once each plugin runs or is disabled, until the server stops. */
  get ready(): boolean {
    return this.#phase === 'ready'
  }

  list(): PluginView[] {
    return [...this.#slots.values()].map((slot) => slot.view())
  }

  /** What is wrong with the sections of the plugins that were found. */
  configErrors(): Error[] {
    return [...this.#slots.values()].flatMap(({ configError }) => configError ?? [])
  }

  /**
   * Finds and loads the plugins, and starts none.
   * @param patienceMs for so long without any progress it waits for those that are still being loaded, which then join
   *   later; forever unless given
   */
  async load(patienceMs?: number): Promise<void> {
    this.#phase = 'loading'
    const { folders } = this.#options
    this.#watcher = new PluginWatcher({ folders, log: this.#log, onChange: (files) => this.#onChange(files) })
    await this.#watcher.ready
    await this.#scan([])
    await this.#settled(patienceMs)
    if (this.#phase !== 'loading') return
    this.#phase = 'loaded'
    this.#reconcile()
  }

  /** Starts the plugins, each when those it requires are up; loads them first where that wasn't done. */
  async start(): Promise<void> {
    if (this.#phase === 'new') await this.load()
    if (this.#phase !== 'loaded') return
    this.#phase = 'starting'
    this.#reconcile()
    await this.#settled()
    this.#log.debug(`plugins:\n${formatBootTree(this.list())}`)
    // The server may have been told to stop meanwhile.
    if (this.#phase === 'starting') this.#phase = 'ready'
  }

  /** Takes over a changed config: keys a plugin takes live are told to it, others replace its generation. */
  async applyConfig(changes: readonly SectionChange[]): Promise<void> {
    for (const { section, keys } of changes) {
      for (const slot of this.#slots.values()) if (this.#holder(section) === slot) slot.configure(keys)
    }
    this.#reconcile()
    await this.#settled()
  }

  /** Ends all sessions and disposes all generations, those first that others are not needed by. */
  async stop(reason: string): Promise<void> {
    this.#phase = 'stopped'
    await this.#watcher?.close()
    const late = () => new Error(`plugins did not stop within ${STOP_TIMEOUT_MS} ms`)
    try {
      await withDeadline(this.#disposeAll(reason), STOP_TIMEOUT_MS, late)
    } catch (err) {
      this.#log.error({ err }, 'plugins are left behind')
    }
  }

  #onChange(files: readonly string[]): void {
    this.#scans = this.#scans.then(() => this.#scan(files))
  }

  async #scan(changed: readonly string[]): Promise<void> {
    const found = new Map((await discoverPlugins(this.#options)).map((candidate) => [candidate.path, candidate]))
    if (this.#phase === 'stopped') return
    for (const [place, slot] of this.#slots) {
      if (found.has(place)) continue
      this.#slots.delete(place)
      slot.remove()
      this.#log.info({ plugin: slot.name }, `plugin '${slot.name}' was removed`)
    }
    for (const candidate of found.values()) {
      const known = this.#slots.get(candidate.path)
      const isNewEntry = known?.code.candidate.entry !== candidate.entry
      const slot = known ?? this.#createSlot(candidate)
      this.#slots.set(candidate.path, slot)
      if (isNewEntry || changed.some((file) => slot.code.concerns(file))) slot.load(candidate)
    }
    this.#reconcile()
  }

  #createSlot(candidate: PluginCandidate): PluginSlot {
    const { parts, limits } = this.#options
    return new PluginSlot(candidate, {
      log: this.#log,
      parts,
      limits: { ...GENERATION_LIMITS, ...limits },
      draining: this.#draining,
      admit: (slot, definition) => this.#admit(slot, definition),
      onStep: () => this.#reconcile(),
    })
  }

  /** Starts what can be started. Called after everything that may have changed that. */
  #reconcile(): void {
    const slots = [...this.#slots.values()]
    const complete = slots.every(({ state }) => state !== 'loading')
    // Of two plugins with one name, the first found wins, and not the first loaded.
    if (this.#phase === 'stopped' || (this.#phase === 'loading' && !complete)) return
    for (const slot of slots) if (slot.state === 'loaded') this.#adopt(slot)
    if (this.#phase === 'starting' || this.#phase === 'ready') {
      for (const slot of slots) slot.reconsider()
      this.#startWaiting(slots, complete)
    }
    guard(this.#log, 'listener to changes of plugins', () => this.#options.onChange?.(this.list()))
  }

  #adopt(slot: PluginSlot): void {
    const holder = this.#holder(slot.name)
    if (holder === undefined || holder === slot) slot.adopt()
    else slot.hinder(sameName(holder))
  }

  #startWaiting(slots: readonly PluginSlot[], complete: boolean): void {
    const waiting = slots.filter(({ state }) => state === 'waiting')
    const others = slots.filter(({ state }) => state !== 'waiting').map(({ node }) => node)
    // Who was refused before is judged anew.
    const nodes = waiting.map(({ node }) => ({ ...node, state: 'pending' as const }))
    for (const [index, verdict] of planStart(nodes, others, complete).entries()) {
      if (verdict.kind === 'start') waiting[index]?.start()
      else waiting[index]?.hinder(verdict.kind === 'refuse' ? verdict.reason : undefined)
    }
  }

  #holder(name: string): PluginSlot | undefined {
    return [...this.#slots.values()].find((slot) => slot.name === name && slot.holdsName)
  }

  #admit(slot: PluginSlot, definition: PluginDefinition): PluginSection {
    const { name, requires = [], provides = [] } = definition
    const holder = this.#holder(name)
    if (holder !== undefined && holder !== slot) throw new PluginError(sameName(holder))
    const others = [...this.#slots.values()].filter((other) => other !== slot).map((other) => other.node)
    const unmet = unmetReason({ name, requires, provides, state: 'pending' }, others)
    if (unmet !== undefined) throw new PluginError(unmet)
    return this.#options.parts.config.resolve(definition)
  }

  /** Settles when no slot has anything to do, whatever one step makes others do, or after `patienceMs` without a step. */
  async #settled(patienceMs?: number): Promise<void> {
    for (let busy = this.#busy(); busy.length > 0 && this.#phase !== 'stopped'; busy = this.#busy()) {
      const late = patienceMs === undefined ? [] : [setTimeout(patienceMs, 'late', { ref: false })]
      if ((await Promise.race([...busy.map(({ steps }) => steps.done), ...late])) === 'late') return
    }
  }

  #busy(): PluginSlot[] {
    return [...this.#slots.values()].filter(({ steps }) => steps.busy)
  }

  async #disposeAll(reason: string): Promise<void> {
    const slots = [...this.#slots.values()]
    const begun = new Set<PluginSlot>()
    const disposals = new Map<PluginSlot, Promise<void>>()
    const dispose = (slot: PluginSlot): Promise<void> => {
      const known = disposals.get(slot)
      if (known !== undefined) return known
      begun.add(slot)
      // One that has begun and isn't known requires this one in a circle.
      const dependents = slots.filter((other) => isNeededBy(slot, other) && (disposals.has(other) || !begun.has(other)))
      const disposal = Promise.all(dependents.map(dispose)).then(() => slot.dispose(reason))
      disposals.set(slot, disposal)
      return disposal
    }
    await Promise.all([this.#draining.disposeAll(reason), ...slots.map(dispose)])
  }
}

function isNeededBy({ node }: PluginSlot, other: PluginSlot): boolean {
  return other.node.requires.some((need) => need === node.name || node.provides.includes(need))
}

/** What is wrong with a plugin whose name another one has. */
function sameName({ code }: PluginSlot): string {
  return `has the same name as ${code.candidate.path}`
}
