import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { messageOf, SluiceError, StoreUnavailable, StreamNotFound } from 'sluice/sdk'
import { ListenError } from '../net/listen-error.ts'
import type { Store } from '../store/store.ts'
import type { ConfigChange } from './config-change.ts'
import { ConfigError, type Problem } from './config-error.ts'
import { ConfigFile } from './config-file.ts'
import type { Config } from './config.ts'
import { edit } from './edit.ts'
import { backUp, replaceFile } from './file-replacement.ts'
import { ConfigChanged, ModificationTables } from './modification-tables.ts'
import type { ModificationCopy } from './modification-copy.ts'
import { MODIFICATION_PLACE, type Modifications } from './modifications.ts'
import type { Acceptance, Rewrite } from './renewal.ts'
import { readReset, readSectionChange, type SectionChange } from './section-change.ts'
import type { Section } from './section.ts'
import { YamlSource } from './yaml-source.ts'

/** Keys and groups of `global` that a running server does not apply. */
const START_KEYS: readonly string[] = ['plugins_dir', 'datadir', 'storage', 'db', 'pullproxy', 'pushproxy']

/** True when a key of `global`, given as a dotted path, takes effect only at the next start of the server. */
export function holdsFromNextStart(path: string): boolean {
  return START_KEYS.some((key) => path === key || path.startsWith(`${key}.`))
}

/** The server can't listen on an address of the config (`LISTEN`, 409). */
class AddressUnavailable extends SluiceError {
  constructor(cause: ListenError) {
    super('LISTEN', 409, cause.message, { cause })
  }
}

type ConfigEditorOptions = {
  readonly config: Config
  readonly store: Pick<Store, 'tables' | 'exists' | 'isAway' | 'onAvailable'>
  /** A copy of the values in the database, for a start without it. */
  readonly copy: ModificationCopy
  readonly log: Logger
  /** Throws a `ListenError` when an address can't be bound. */
  readonly accept: Acceptance
  /** Called with the changes, for the parts of the server that do not read the config again each time. */
  readonly apply: (changes: readonly ConfigChange[]) => Promise<void>
}

/** The terms of an edit. */
export type EditOptions = {
  /** The name of the user who edits. */
  readonly by: string
  /** The section's revision that the edit was made from. When the section has another one, the edit is refused. */
  readonly revision?: number | undefined
  /** False to have the new values until the server ends, without storing them. Default true. */
  readonly isStored?: boolean | undefined
}

/** The result of an edit. */
export type EditOutcome = {
  /** Dotted paths of the section's keys that have another value now. */
  readonly keys: readonly string[]
  /** The keys of `global` that take effect at the next start of the server. */
  readonly keysFromNextStart: readonly string[]
}

/**
 * Changes the config while the server runs: takes over its file, and the values that operators set, which are stored in the
 * database. Changes are made one after the other, each as a whole or not at all.
 */
export class ConfigEditor {
  readonly #options: ConfigEditorOptions
  readonly #tables: ModificationTables
  readonly #accept: Acceptance
  /** True while the values set at run time are those of the copy. */
  #isAssumed = false
  /** True when the newest file was not applied. */
  #isRefused = false
  /** The warnings of the config, as they were logged last. */
  #warnings: readonly string[] = []

  constructor(options: ConfigEditorOptions) {
    this.#options = options
    this.#tables = new ModificationTables(options.store)
    this.#accept = async (global) => {
      try {
        await options.accept(global)
      } catch (error) {
        throw error instanceof ListenError ? new AddressUnavailable(error) : error
      }
    }
    options.store.onAvailable(() => this.#tryToComplete())
  }

  /** False while the database is known to be away, so that values can be set until the server ends only. */
  get canStore(): boolean {
    return !this.#options.store.isAway
  }

  /**
   * Takes over the values that were set at run time before the server started, where there is a database already. While it
   * is away, the copy of its values is used; without such a copy the config is incomplete. It is completed as soon as the
   * database is there.
   * @throws {ConfigError} when a value does not fit the schema of a plugin that was loaded before
   */
  async load(): Promise<void> {
    const { config, store, log } = this.#options
    if (!store.exists) return
    try {
      await this.#restore(await this.#loadTables())
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      const copied = await this.#options.copy.read()
      if (copied !== undefined) {
        await this.#restore(copied)
        this.#isAssumed = true
        log.warn('the database is away: until it is back, what was set at run time is as it was known last')
        return
      }
      config.incomplete = 'what was set at run time is not known, as the database is away'
      log.error(`${config.incomplete}: clients can neither publish nor play until it is back`)
    }
  }

  /**
   * Sets keys of a section.
   * @param values some of its keys, as JSON or as YAML; null removes the value that was set for a key
   * @throws {StreamNotFound} when there is no such section
   * @throws {ConfigError} when a value is wrong
   * @throws {AddressUnavailable} when an address can't be bound
   * @throws {ConfigChanged} when the section has another revision
   * @throws {StoreUnavailable} when the values could not be stored; they are not set then
   */
  modify(name: string, values: unknown, options: EditOptions): Promise<EditOutcome> {
    return this.#edit(name, options, (section) => readSectionChange(sourceOf(values), section))
  }

  /**
   * Removes the values that were set at run time in a section.
   * @param keys dotted paths of keys or groups; all unless given
   * @throws {SluiceError} the errors of `modify`
   */
  reset(name: string, keys: readonly string[] | undefined, options: EditOptions): Promise<EditOutcome> {
    return this.#edit(name, options, (section, set) => readReset(keys, section, set))
  }

  /**
   * Checks values of a section without setting them.
   * @throws {StreamNotFound} when there is no such section
   */
  problemsOf(name: string, values: unknown): readonly Problem[] {
    const { config } = this.#options
    const section = this.sectionOf(name)
    try {
      const held = { stored: config.modified.stored, held: config.modified }
      const terms = { by: '', atMs: 0, isStored: true }
      config.check({ modified: edit(section, held, readSectionChange(sourceOf(values), section), terms).modified })
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }

  /** @throws {StreamNotFound} when there is no such section */
  sectionOf(name: string): Section {
    const section = this.#options.config.find(name)
    if (section === undefined) throw new StreamNotFound()
    return section
  }

  /**
   * Takes over the config file as it is now.
   * @throws {SluiceError} when a value in it is wrong, or an address can't be bound; the config stays as it was then
   */
  async reload(): Promise<void> {
    const { config, log } = this.#options
    try {
      const changes = await config.reload(this.#accept)
      if (changes.length === 0 && this.#isRefused) log.info('the config is right again; nothing changed')
      this.#isRefused = false
      await this.#applied(changes)
    } catch (error) {
      this.#isRefused = true
      throw error
    }
  }

  /**
   * Reads the text of the config file.
   * @throws {StreamNotFound} when the server runs without one
   */
  async fileText(): Promise<string> {
    return readFile(this.#file(), 'utf8')
  }

  /**
   * Writes the config file, and takes it over.
   * @throws {StreamNotFound} when the server runs without one
   * @throws {SluiceError} when the text is wrong, an address can't be bound or the file can't be written; the file stays as
   * it was then
   */
  async writeFile(text: string, by: string): Promise<void> {
    const file = this.#file()
    const written = { file: new ConfigFile(file, text), keep: () => replaceFile(file, text) }
    await this.#applied(await this.#options.config.change(async () => written, this.#accept), by)
  }

  /** Copies the config file, where there is one; see {@link backUp}. Logs a warning when that fails. */
  async backUpFile(): Promise<void> {
    const { config, log } = this.#options
    const { file } = config
    if (file === undefined) return
    try {
      // The backup takes its turn with the writers of the file.
      await config.change(async () => backUp(file).then(() => ({})))
    } catch (error) {
      log.warn(`no backup of the config file was made: ${messageOf(error)}`)
    }
  }

  /** Logs the warnings of the config, unless they were logged before. */
  warn(): void {
    const { config, log } = this.#options
    const warnings = config.warnings()
    for (const warning of warnings) if (!this.#warnings.includes(warning)) log.warn(warning)
    this.#warnings = warnings
  }

  #file(): string {
    const { file } = this.#options.config
    if (file === undefined) throw new StreamNotFound('not found: the server runs without a config file')
    return file
  }

  async #edit(name: string, options: EditOptions, read: ReadChange): Promise<EditOutcome> {
    const { config } = this.#options
    const isToBeStored = options.isStored ?? true
    if (config.incomplete !== undefined || (this.#isAssumed && isToBeStored)) await this.#complete()
    const changes = await this.#inTurn(() => this.#edited(name, options, read))
    await this.#applied(changes, options.by)
    const keysOf = (section: string) => changes.find((change) => change.section === section)?.keys ?? []
    const keysFromNextStart = keysOf('global').filter(holdsFromNextStart)
    return { keys: keysOf(this.sectionOf(name).name), keysFromNextStart }
  }

  async #edited(name: string, { by, revision, isStored = true }: EditOptions, read: ReadChange): Promise<Rewrite> {
    const { config } = this.#options
    const section = this.sectionOf(name)
    // The rows are read again each time, as another process or a command may have changed them.
    const stored = isStored ? await this.#loadTables() : config.modified.stored
    if (revision !== undefined && revision !== stored.revisionOf(name)) throw new ConfigChanged()
    const terms = { by, atMs: Date.now(), isStored }
    const held = config.modified
    const set = [...stored.of(name), ...held.of(name)].map(({ path }) => path)
    const edited = edit(section, { stored, held }, read(section, set), terms)
    const { modified } = edited
    return edited.isStoreChanged ? { modified, keep: () => this.#saveTables(name, edited.stored) } : { modified }
  }

  /**
   * Makes an edit. When another process has edited the section, takes its values over, so that the caller can read and edit
   * them again.
   */
  async #inTurn(write: () => Promise<Rewrite>): Promise<readonly ConfigChange[]> {
    try {
      return await this.#options.config.change(write, this.#accept)
    } catch (error) {
      if (error instanceof ConfigChanged) await this.#applied(await this.#takeIn())
      throw error
    }
  }

  async #restore(modified: Modifications): Promise<void> {
    const { config } = this.#options
    if (config.declared.length === 0) config.restore(modified)
    else await config.change(async () => ({ modified }))
  }

  /** Reads the values in the database, and copies them. */
  async #loadTables(): Promise<Modifications> {
    const modified = await this.#tables.load()
    await this.#options.copy.write(modified)
    return modified
  }

  async #saveTables(name: string, stored: Modifications): Promise<void> {
    await this.#tables.save(name, stored)
    await this.#options.copy.write(stored)
  }

  /** Takes over the values in the database. */
  #takeIn(): Promise<readonly ConfigChange[]> {
    const { config } = this.#options
    const write = async () => ({ modified: (await this.#loadTables()).withPassing(config.modified.passing) })
    return config.change(write, this.#accept)
  }

  /** Takes over the values that were set at run time, when they could not be read at the start. */
  async #complete(): Promise<void> {
    const { config, log } = this.#options
    const changes = await this.#takeIn()
    if (config.incomplete === undefined && !this.#isAssumed) return
    config.incomplete = undefined
    this.#isAssumed = false
    log.info('what was set at run time is known')
    await this.#applied(changes)
  }

  async #tryToComplete(): Promise<void> {
    const { incomplete } = this.#options.config
    if (incomplete === undefined && !this.#isAssumed) return
    try {
      await this.#complete()
    } catch (error) {
      const { log } = this.#options
      const fate = incomplete === undefined ? 'what was known last holds' : 'clients can still do nothing'
      log.error(`what was set at run time can't be applied, so ${fate}: ${messageOf(error)}`)
    }
  }

  async #applied(changes: readonly ConfigChange[], by?: string): Promise<void> {
    const { log, apply } = this.#options
    if (changes.length > 0) log.info({ changes, ...(by !== undefined && { by }) }, 'the config changed')
    // It is called without changes, too: plugins that were refused have no section yet that could change.
    await apply(changes)
    this.warn()
    const changed = changes.flatMap(({ section, keys }) => (section === 'global' ? keys : []))
    for (const key of changed.filter(holdsFromNextStart)) {
      log.warn(`global.${key} holds from the next start of the server`)
    }
  }
}

/** Reads a change of a section in which some keys have been set at run time before. */
type ReadChange = (section: Section, set: readonly string[]) => SectionChange

function sourceOf(values: unknown): YamlSource {
  return values instanceof YamlSource ? values : YamlSource.of(MODIFICATION_PLACE, values)
}
