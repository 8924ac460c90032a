import { existsSync } from 'node:fs'
import path from 'node:path'
import type { TObject } from 'typebox'
import type { InheritedConfig, PluginConfig, ServerConfig } from 'sluice/sdk'
import type { ConfigChange } from './config-change.ts'
import { ConfigError, type Problem } from './config-error.ts'
import { ConfigFile } from './config-file.ts'
import { Environment } from './environment.ts'
import { watchFile } from './file-watch.ts'
import type { GlobalConfig } from 'sluice/sdk/host'
import { normalizeKey } from './key-name.ts'
import { Modifications } from './modifications.ts'
import { renew, type Acceptance, type Declared, type Renewal, type Rewrite, type Written } from './renewal.ts'
import { resolveGlobal, resolvePlugin, type Inputs } from './resolve.ts'
import type { SectionDefinition } from './schema.ts'
import type { ConfigEntry, Section, SectionConfig } from './section.ts'
import { meantSection, undeclaredRemark, type UndeclaredSection } from './undeclared.ts'

/** The file in the working directory that is read when no file is named; it may be missing. */
const DEFAULT_FILE = 'config.yaml'

export type ConfigOptions = {
  /** A file that must exist. Unless given, `config.yaml` of the working directory is read if it exists. */
  readonly file?: string
  /** Defaults to the environment of the process. */
  readonly env?: NodeJS.ProcessEnv
  /** Makes further warnings about the sections, such as those of the gates about their filters. */
  readonly inspect?: Inspection
}

type Inspection = (sections: readonly Section[]) => readonly string[]

/**
 * The effective config of the server and each plugin. A value comes from, strongest first: the values set at run time, the
 * environment, the file, the plugin's defaults, the `global` section (inheritable keys only), the schema's default
 * (config.md 2).
 */
export class Config {
  /** The file that was read; undefined when there is none. */
  readonly file: string | undefined
  readonly #environment: Environment
  readonly #inspect: Inspection
  #written: Written
  #global: Section
  /** The sections of plugins by normalized name. */
  #declared = new Map<string, Declared>()
  /** The files of plugins' code. */
  readonly #places = new WeakMap<SectionDefinition, string>()
  #changing: Promise<unknown> = Promise.resolve()
  #problems: Problem[] = []
  /** The problems of the newest file, when it was refused. */
  #refusal: readonly Problem[] = []
  #onChange = () => {}
  /** The section that `shared` returns, and the one that it was made of. */
  #shared: { readonly config: ServerConfig; readonly of: Readonly<GlobalConfig> } | undefined
  /** The reason why the values set at run time are not known; undefined when they are known. */
  incomplete: string | undefined

  private constructor(
    file: string | undefined,
    content: ConfigFile,
    { environment, inspect }: { environment: Environment; inspect: Inspection },
  ) {
    this.file = file
    this.#written = { file: content, modified: new Modifications() }
    this.#environment = environment
    this.#inspect = inspect
    failOn(content.problems)
    this.#global = resolveGlobal(this.#inputs(), this.#problems)
  }

  /**
   * Reads a file. The errors in `global` are in `problems`, so that they do not hide those in plugins' sections; no server
   * may run with them.
   * @throws {ConfigError} when the file can't be read or parsed
   */
  static async load({ file, env = process.env, inspect = () => [] }: ConfigOptions = {}): Promise<Config> {
    const content = await ConfigFile.read(file ?? DEFAULT_FILE, file !== undefined)
    const path = content === undefined ? undefined : (file ?? DEFAULT_FILE)
    const environment = new Environment(env)
    return new Config(path, content ?? new ConfigFile(DEFAULT_FILE, ''), { environment, inspect })
  }

  get global(): Readonly<GlobalConfig> {
    return this.#global.config.values as GlobalConfig
  }

  /** The section `global` for plugins, which may read it for each viewer. */
  get shared(): ServerConfig {
    const { global } = this
    if (this.#shared?.of !== global) {
      const { db: _db, admin: _admin, ...config } = global
      this.#shared = { of: global, config }
    }
    return this.#shared.config
  }

  /** The values that were set at run time. */
  get modified(): Modifications {
    return this.#written.modified
  }

  /** The errors in `global` when the config was loaded; keys with wrong values have their defaults. */
  get problems(): readonly Problem[] {
    return this.#problems
  }

  /** The folders with further plugins. */
  get pluginFolders(): string[] {
    const base = this.file === undefined ? process.cwd() : path.dirname(this.file)
    return this.global.plugins_dir.map((folder) => path.resolve(base, folder))
  }

  /** `global` and the sections of the declared plugins. */
  get sections(): readonly Section[] {
    return [this.#global, ...[...this.#declared.values()].map(({ section }) => section)]
  }

  /** The names of the declared plugins. */
  get declared(): readonly string[] {
    return [...this.#declared.values()].flatMap(({ definitions }) => definitions[0]?.name ?? [])
  }

  /** Sets the file of a plugin's code, which messages name when an error in its section may be corrected there. */
  locate(definition: SectionDefinition, file: string): void {
    this.#places.set(definition, file)
  }

  /**
   * Returns the config that a plugin would have, without declaring the plugin. Throws a `ConfigError` when its section is
   * wrong.
   */
  resolve<Schema extends TObject>(definition: SectionDefinition<Schema>): SectionConfig<PluginConfig<Schema>> {
    return typed(this.#resolved(definition))
  }

  /**
   * Like `resolve`, but declares the plugin: reloads report its changes from now on. Replaces an earlier definition of the
   * same name.
   */
  declare<Schema extends TObject>(definition: SectionDefinition<Schema>): SectionConfig<PluginConfig<Schema>> {
    const section = this.#resolved(definition)
    this.#declared.set(normalizeKey(definition.name), { definitions: [definition], section })
    this.#retryRefused(definition.name)
    return typed(section)
  }

  /** Adds newer code of a declared plugin: until it is declared itself, a file may fit the schema of either. */
  propose<Schema extends TObject>(definition: SectionDefinition<Schema>): void {
    const name = normalizeKey(definition.name)
    const declared = this.#declared.get(name)
    if (declared === undefined) return
    this.#declared.set(name, { ...declared, definitions: [definition, ...declared.definitions.slice(-1)] })
    this.#retryRefused(definition.name)
  }

  /** The current config of a declared plugin, for instance after a reload. */
  section(name: string): SectionConfig<Readonly<InheritedConfig>> | undefined {
    const section = this.#declared.get(normalizeKey(name))?.section
    return section === undefined ? undefined : typed(section)
  }

  forget(name: string): void {
    this.#declared.delete(normalizeKey(name))
    this.#retryRefused(name)
  }

  /** The sections of the file that belong to no plugin (yet): neither to one that is declared, nor to one of `others`. */
  undeclaredSections(others: readonly string[] = []): UndeclaredSection[] {
    const plugins = [...this.declared, ...others]
    const known = new Set(['global', ...plugins].map(normalizeKey))
    return [...this.#written.file.sections]
      .filter(([name]) => !known.has(name))
      .map(([, { name, place }]) => ({ name, place, meant: meantSection(name, plugins) }))
  }

  /** The warnings about the config: odd values that are no errors. */
  warnings(): string[] {
    const noFile = this.file === undefined ? [`there is no ${DEFAULT_FILE} here, so defaults apply`] : []
    const leaves = new Map(this.sections.map((section) => [section.name, section.leaves]))
    const undeclared = this.undeclaredSections().map(
      (section) => `line ${section.place.line}: ${undeclaredRemark(section)}`,
    )
    const folders = this.pluginFolders.filter((folder) => !existsSync(folder))
    const noFolders = folders.map((folder) => `global.plugins_dir: there is no folder '${folder}' (yet)`)
    const odd = [...this.#environment.warnings(leaves), ...this.#inspect(this.sections)]
    return [...noFile, ...undeclared, ...noFolders, ...odd]
  }

  /** Takes over the values that were set at run time. To be called before plugins are declared. */
  restore(modified: Modifications): void {
    this.#written = { ...this.#written, modified }
    this.#problems = []
    this.#global = resolveGlobal(this.#inputs(), this.#problems)
  }

  /**
   * Reads the file again and returns the changes. Throws a `ConfigError` when anything in it is wrong, or the error of
   * `accept`, and leaves everything as it was. `accept` is called before the new values take effect, and once more with the
   * old ones when the file is refused after that.
   */
  reload(accept?: Acceptance): Promise<readonly ConfigChange[]> {
    const { file } = this
    return this.change(async () => (file === undefined ? {} : { file: await ConfigFile.readAgain(file) }), accept)
  }

  /**
   * Replaces the file or the values set at run time, as `reload` does. Changes are made one after the other: `write` is
   * called when all earlier changes have ended.
   * @throws {ConfigError} when anything in the replacement is wrong
   */
  change(write: () => Promise<Rewrite>, accept?: Acceptance): Promise<readonly ConfigChange[]> {
    const change = this.#changing.then(async () => this.#take(await write(), accept))
    // The next change waits for this one, even when it fails.
    this.#changing = change.catch(() => undefined)
    return change
  }

  /**
   * Checks a replacement of the file or of the values set at run time.
   * @throws {ConfigError} when anything in it is wrong
   */
  check(rewrite: Partial<Written>): void {
    this.#checked({ ...this.#written, ...rewrite })
  }

  /** The present section of a plugin, or of `global`; undefined where there is no such plugin. */
  find(name: string): Section | undefined {
    const normalized = normalizeKey(name)
    return normalized === 'global' ? this.#global : this.#declared.get(normalized)?.section
  }

  /** All keys of a section, with secrets masked. */
  describe(name: string): ConfigEntry[] {
    return this.find(name)?.entries() ?? []
  }

  /** The user's values in a section as YAML, secrets masked; empty when the user has set none. */
  userConfig(name: string): string {
    return this.find(name)?.config.userConfig ?? ''
  }

  /**
   * Calls `onChange` when the file may have been written or replaced, or when a refused file may fit a plugin's new code,
   * until the returned function is called.
   */
  watch(onChange: () => void): () => void {
    if (this.file === undefined) return () => {}
    this.#onChange = onChange
    const unwatch = watchFile(this.file, onChange)
    return () => {
      this.#onChange = () => {}
      unwatch()
    }
  }

  #retryRefused(section: string): void {
    if (this.#refusal.some(({ key }) => key.split('.')[0] === section)) this.#onChange()
  }

  #resolved(definition: SectionDefinition): Section {
    const problems: Problem[] = []
    const section = resolvePlugin(definition, this.#inputs(), this.#global, problems)
    failOn(problems)
    return section
  }

  #inputs(written = this.#written): Inputs {
    return { ...written, environment: this.#environment, places: this.#places }
  }

  #renewed(written: Written): Renewal {
    return renew({ global: this.#global, declared: this.#declared }, this.#inputs(written))
  }

  #checked(written: Written): Renewal {
    const renewal = this.#renewed(written)
    if (written.file !== this.#written.file) this.#refusal = renewal.problems
    failOn(renewal.problems)
    return renewal
  }

  async #take({ keep, ...rewrite }: Rewrite, accept?: Acceptance): Promise<readonly ConfigChange[]> {
    const written = { ...this.#written, ...rewrite }
    await accept?.(this.#checked(written).global.config.values as GlobalConfig)
    try {
      // The replacement may not fit a plugin that was declared meanwhile.
      this.#checked(written)
      await keep?.()
    } catch (error) {
      await accept?.(this.global)
      throw error
    }
    // A plugin that was declared during `keep` keeps its section when the replacement does not fit it.
    const renewal = this.#renewed(written)
    this.#written = written
    this.#global = renewal.global
    this.#declared = renewal.declared
    return renewal.changes
  }
}

function failOn(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ConfigError(problems)
}

/** The values were read by the schema that the type was made from. */
function typed<Values>(section: Section): SectionConfig<Values> {
  return section.config as SectionConfig<Values>
}
