import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { withDeadline, type PluginDefinition } from 'sluice/sdk'
import { guard } from '../base/guard.ts'
import type { Peers } from '../peers/peers.ts'
import { discoverPlugins, type PluginCandidate, type PluginPlaces } from './loading/discovery.ts'
import { DrainingGenerations } from './generation/draining-generations.ts'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'
import { GENERATION_LIMITS, type GenerationLimits } from './generation/generation.ts'
import { PluginError } from './plugin-error.ts'
import { PluginEntry } from './plugin-entry.ts'
import { formatBootTree, type PluginView } from './plugin-view.ts'
import { PluginWatcher } from './loading/plugin-watcher.ts'
import { planStart, unmetReason } from './start-order.ts'

/** The longest time that `stop` waits for plugins; it leaves slower ones behind. */
const STOP_TIMEOUT_MS = 4000

type PluginHostOptions = {
  readonly log: Logger
  /** The folders with plugins; called once. */
  readonly folders: () => PluginPlaces['folders']
  readonly workingFolder: PluginPlaces['workingFolder']
  readonly parts: GenerationParts
  /** Decides which plugins with `processes: 'one'` run in this process. */
  readonly peers: Pick<Peers, 'claim'>
  /** `global.draintimeout`; 0 is no limit. */
  readonly drainTimeoutMs: () => number
  readonly limits?: Partial<GenerationLimits>
  /** Called when plugins may have started, changed or gone, or their live config may have changed. */
  readonly onChange?: (plugins: readonly PluginView[]) => void
}

/** The keys of a section that a reload of the config has changed; see `ConfigChange`. */
type SectionChange = { readonly section: string; readonly keys: readonly string[] }

/** Finds, starts, watches, replaces and stops the plugins. A plugin that fails is listed as disabled; the others go on. */
export class PluginHost {
  readonly #options: PluginHostOptions
  readonly #log: Logger
  readonly #entries = new Map<string, PluginEntry>()
  readonly #draining: DrainingGenerations
  #places: PluginPlaces = { folders: [], workingFolder: '' }
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
    return [...this.#entries.values()].map((entry) => entry.view())
  }

  /** The names of the plugins of draining generations, one entry for each generation. */
  get draining(): string[] {
    return this.#draining.plugins
  }

  /** The names of the plugins that are switched on but do not run after a failure. */
  get disabled(): string[] {
    return this.list().flatMap(({ name, state }) => (state === 'disabled' ? [name] : []))
  }

  /** The errors in the sections of the plugins that were found. */
  configErrors(): Error[] {
    return [...this.#entries.values()].flatMap(({ configError }) => configError ?? [])
  }

  /**
   * Finds and loads the plugins, without starting them.
   * @param patienceMs the longest time without progress that it waits for plugins that are being loaded, which join later
   * then; no limit unless given
   */
  async load(patienceMs?: number): Promise<void> {
    this.#phase = 'loading'
    const folders = this.#options.folders()
    this.#places = { folders, workingFolder: this.#options.workingFolder }
    this.#watcher = new PluginWatcher({ folders, log: this.#log, onChange: (files) => this.#onChange(files) })
    await this.#watcher.ready
    await this.#scan([])
    await this.#settled(patienceMs)
    if (this.#phase !== 'loading') return
    this.#phase = 'loaded'
    this.#reconcile()
  }

  /** Starts the plugins, each when those that it requires run; loads them first unless `load` was called. */
  async start(): Promise<void> {
    if (this.#phase === 'new') await this.load()
    if (this.#phase !== 'loaded') return
    this.#phase = 'starting'
    this.#reconcile()
    await this.#settled()
    this.#log.debug(`plugins:\n${formatBootTree(this.list())}`)
    // The server may have been stopped meanwhile.
    if (this.#phase === 'starting') this.#phase = 'ready'
  }

  /**
   * Takes over a changed config: plugins are called with the keys that they take live; for other keys, their generation is
   * replaced.
   */
  async applyConfig(changes: readonly SectionChange[]): Promise<void> {
    for (const { section, keys } of changes) {
      for (const entry of this.#entries.values()) if (this.#holder(section) === entry) entry.configure(keys)
    }
    this.#reconcile()
    await this.#settled()
  }

  /**
   * Replaces the running generation of a plugin by another of the same code.
   * @returns false when there is no such plugin
   */
  async restart(name: string): Promise<boolean> {
    const entry = this.#holder(name)
    entry?.configure()
    await this.#settled()
    return entry !== undefined
  }

  /** Ends all sessions and disposes all generations, each plugin after those that require it. */
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
    const failed = (err: unknown) => this.#log.error({ err }, 'a change of the plugin folders was not taken in')
    this.#scans = this.#scans.then(() => this.#scan(files)).catch(failed)
  }

  async #scan(changed: readonly string[]): Promise<void> {
    const found = new Map((await discoverPlugins(this.#places)).map((candidate) => [candidate.path, candidate]))
    if (this.#phase === 'stopped') return
    for (const [place, entry] of this.#entries) {
      if (found.has(place)) continue
      this.#entries.delete(place)
      entry.remove()
      this.#log.info({ plugin: entry.name }, `plugin '${entry.name}' was removed`)
    }
    for (const candidate of found.values()) {
      const known = this.#entries.get(candidate.path)
      const isNewEntry = known?.code.candidate.entry !== candidate.entry
      const entry = known ?? this.#createEntry(candidate)
      this.#entries.set(candidate.path, entry)
      if (isNewEntry || changed.some((file) => entry.code.concerns(file))) entry.load(candidate)
    }
    this.#reconcile()
  }

  #createEntry(candidate: PluginCandidate): PluginEntry {
    const { parts, peers, limits } = this.#options
    return new PluginEntry(candidate, {
      log: this.#log,
      parts,
      peers,
      limits: { ...GENERATION_LIMITS, ...limits },
      draining: this.#draining,
      admit: (entry, definition) => this.#admit(entry, definition),
      onStep: () => this.#reconcile(),
    })
  }

  /** Starts the plugins that can start. Called after every change that may allow one to start. */
  #reconcile(): void {
    const entries = [...this.#entries.values()]
    const complete = entries.every(({ state }) => state !== 'loading')
    // Of two plugins with one name, the one found first gets it, and not the one loaded first.
    if (this.#phase === 'stopped' || (this.#phase === 'loading' && !complete)) return
    for (const entry of entries) if (entry.state === 'loaded') this.#adopt(entry)
    if (this.#phase === 'starting' || this.#phase === 'ready') {
      for (const entry of entries) {
        entry.reconsider()
        entry.giveWay()
      }
      this.#startWaiting(entries, complete)
    }
    guard(this.#log, 'listener to changes of plugins', () => this.#options.onChange?.(this.list()))
  }

  #adopt(entry: PluginEntry): void {
    const holder = this.#holder(entry.name)
    if (holder === undefined || holder === entry) entry.adopt()
    else entry.hinder(sameName(holder))
  }

  #startWaiting(entries: readonly PluginEntry[], complete: boolean): void {
    const waiting = entries.filter((entry) => entry.mayStart())
    const others = entries.filter((entry) => !waiting.includes(entry)).map(({ node }) => node)
    // Plugins that were refused before are considered again.
    const nodes = waiting.map(({ node }) => ({ ...node, state: 'pending' as const }))
    const verdicts = planStart(nodes, others, complete)
    const startable = new Set(waiting.filter((_, index) => verdicts[index]?.kind === 'start'))
    // Plugins of a later turn wait for starts of an earlier one, but not for a waiting plugin, which may require one of them.
    const turns = entries.filter((entry) => startable.has(entry) || entry.state === 'starting').map(turnOf)
    const turn = Math.min(...turns)
    for (const [index, entry] of waiting.entries()) {
      const verdict = verdicts[index]
      if (verdict?.kind === 'refuse') entry.hinder(verdict.reason, verdict.as)
      else if (startable.has(entry) && turnOf(entry) <= turn) entry.start()
      else entry.hinder(undefined)
    }
  }

  #holder(name: string): PluginEntry | undefined {
    return [...this.#entries.values()].find((entry) => entry.name === name && entry.holdsName)
  }

  #admit(entry: PluginEntry, definition: PluginDefinition): PluginSection {
    const { name, requires = [], provides = [] } = definition
    const holder = this.#holder(name)
    if (holder !== undefined && holder !== entry) throw new PluginError(sameName(holder))
    const others = [...this.#entries.values()].filter((other) => other !== entry).map((other) => other.node)
    const unmet = unmetReason({ name, requires, provides, state: 'pending' }, others)
    if (unmet !== undefined) throw new PluginError(unmet)
    return this.#options.parts.config.resolve(definition)
  }

  /**
   * Settles when no entry has steps any more, including the steps that one causes in others, or after `patienceMs` without a
   * step.
   */
  async #settled(patienceMs?: number): Promise<void> {
    for (let busy = this.#busy(); busy.length > 0 && this.#phase !== 'stopped'; busy = this.#busy()) {
      const late = patienceMs === undefined ? [] : [setTimeout(patienceMs, 'late', { ref: false })]
      if ((await Promise.race([...busy.map(({ steps }) => steps.done), ...late])) === 'late') return
    }
  }

  #busy(): PluginEntry[] {
    return [...this.#entries.values()].filter(({ busy }) => busy)
  }

  async #disposeAll(reason: string): Promise<void> {
    const entries = [...this.#entries.values()]
    const begun = new Set<PluginEntry>()
    const disposals = new Map<PluginEntry, Promise<void>>()
    const last = entries.filter(({ endsLast }) => endsLast)
    const dispose = (entry: PluginEntry): Promise<void> => {
      const known = disposals.get(entry)
      if (known !== undefined) return known
      begun.add(entry)
      // An entry that has begun and has no disposal yet requires this one in a cycle.
      const dependents = entries.filter(
        (other) => isNeededBy(entry, other) && (disposals.has(other) || !begun.has(other)),
      )
      const disposal = Promise.all(dependents.map(dispose)).then(() => entry.dispose(reason))
      disposals.set(entry, disposal)
      return disposal
    }
    await Promise.all([
      this.#draining.disposeAll(reason),
      ...entries.filter((entry) => !last.includes(entry)).map(dispose),
    ])
    await Promise.all(last.map(dispose))
  }
}

/**
 * The turn of a plugin in the start order: plugins with `endsLast` start first, as they observe the others, and those with
 * `startsLast` last.
 */
function turnOf({ endsLast, startsLast }: PluginEntry): number {
  if (endsLast) return 0
  return startsLast ? 2 : 1
}

function isNeededBy({ node }: PluginEntry, other: PluginEntry): boolean {
  return other.node.requires.some((need) => need === node.name || node.provides.includes(need))
}

/** The obstacle of a plugin whose name another one has. */
function sameName({ code }: PluginEntry): string {
  return `has the same name as ${code.candidate.path}`
}
