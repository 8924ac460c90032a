import { existsSync } from 'node:fs'
import path from 'node:path'
import type { TObject } from 'typebox'
import type { InheritedConfig, PluginConfig } from 'sluice/sdk'
import { changesBetween, type ConfigChange } from './config-change.ts'
import { ConfigError, type Problem } from './config-error.ts'
import { ConfigFile } from './config-file.ts'
import { Environment } from './environment.ts'
import { watchFile } from './file-watch.ts'
import type { GlobalConfig } from './global-config.ts'
import { normalizeKey } from './key-name.ts'
import { resolveGlobal, resolvePlugin, type Inputs } from './resolve.ts'
import type { SectionDefinition } from './schema.ts'
import type { ConfigEntry, Section, SectionConfig } from './section.ts'
import { meantSection, undeclaredRemark, type UndeclaredSection } from './undeclared.ts'

/** Read from the working directory when no file is named; it need not be there. */
const DEFAULT_FILE = 'config.yaml'

export type ConfigOptions = {
  /** Must be there when it is named; without a name, `config.yaml` of the working directory is read if it is there. */
  readonly file?: string
  /** Defaults to that of the process. */
  readonly env?: NodeJS.ProcessEnv
  /** Says what others find odd in the sections, such as the gates in their filters; part of `warnings`. */
  readonly inspect?: Inspection
}

type Inspection = (sections: readonly Section[]) => readonly string[]

/** Does what must succeed before a changed `global` holds, such as to bind its addresses. */
type Acceptance = (global: Readonly<GlobalConfig>) => Promise<void>

type Declared = {
  /** The newest comes first, though an older one may run until it can take over. */
  readonly definitions: readonly SectionDefinition[]
  /** By the first of them that the file suits. */
  readonly section: Section
}

/** All that a file makes, and what that changes. */
type Renewal = {
  readonly global: Section
  readonly declared: Map<string, Declared>
  readonly changes: readonly ConfigChange[]
}

/**
 * The effective config of the server and each plugin. A value comes from, strongest first: environment, file, the plugin's
 * defaults, the `global` section (inheritable keys only), the schema's default (config.md 2).
 */
export class Config {
  /** The file that was read; undefined when there is none. */
  readonly file: string | undefined
  readonly #environment: Environment
  readonly #inspect: Inspection
  #content: ConfigFile
  #global: Section
  /** By normalized name. */
  #declared = new Map<string, Declared>()
  /** The files of plugins' code. */
  readonly #places = new WeakMap<SectionDefinition, string>()
  #reloading: Promise<unknown> = Promise.resolve()
  readonly #problems: Problem[] = []
  /** What was wrong with the newest file, where it was refused. */
  #refusal: readonly Problem[] = []
  #onChange = () => {}

  private constructor(
    file: string | undefined,
    content: ConfigFile,
    { environment, inspect }: { environment: Environment; inspect: Inspection },
  ) {
    this.file = file
    this.#content = content
    this.#environment = environment
    this.#inspect = inspect
    failOn(content.problems)
    this.#global = resolveGlobal({ file: content, environment, places: this.#places }, this.#problems)
  }

  /**
   * Reads a file. What is wrong with `global` is in `problems`, so that it does not hide what is wrong with plugins'
   * sections; no server is to run with it.
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

  /** What was wrong with `global` when the config was loaded; values of keys that are wrong are defaults. */
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

  /** Says where the code of a plugin lies, for what is wrong with its section may be mended there. */
  locate(definition: SectionDefinition, file: string): void {
    this.#places.set(definition, file)
  }

  /** The config a plugin would have. Throws a `ConfigError` when its section is wrong; registers nothing. */
  resolve<Schema extends TObject>(definition: SectionDefinition<Schema>): SectionConfig<PluginConfig<Schema>> {
    return typed(this.#resolved(definition))
  }

  /** As `resolve`, and from now on reloads tell of this plugin. Replaces an earlier definition of the same name. */
  declare<Schema extends TObject>(definition: SectionDefinition<Schema>): SectionConfig<PluginConfig<Schema>> {
    const section = this.#resolved(definition)
    this.#declared.set(normalizeKey(definition.name), { definitions: [definition], section })
    this.#retryRefused(definition.name)
    return typed(section)
  }

  /** Newer code of a declared plugin asks for its keys: until it is declared itself, a file may suit either. */
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

  /** The sections of the file for which there is no plugin (yet): neither one that is declared nor one of these. */
  undeclaredSections(others: readonly string[] = []): UndeclaredSection[] {
    const plugins = [...this.declared, ...others]
    const known = new Set(['global', ...plugins].map(normalizeKey))
    return [...this.#content.sections]
      .filter(([name]) => !known.has(name))
      .map(([, { name, place }]) => ({ name, place, meant: meantSection(name, plugins) }))
  }

  /** What is odd, but no error. */
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

  /**
   * Reads the file anew and tells what changed. Throws, and leaves everything as it was, when anything in it is wrong (a
   * `ConfigError`), or when `accept` does, which is asked before anything holds, and once more with what held before
   * where the file is refused later.
   */
  reload(accept?: Acceptance): Promise<readonly ConfigChange[]> {
    const reload = this.#reloading.then(() => this.#reload(accept))
    // The next reload waits for this one, however it ends.
    this.#reloading = reload.catch(() => undefined)
    return reload
  }

  /** All keys of a section, as a person may see them. */
  describe(name: string): ConfigEntry[] {
    return this.#find(name)?.entries() ?? []
  }

  /** What the user set in a section, as YAML, secrets masked; empty when that is nothing. */
  userConfig(name: string): string {
    return this.#find(name)?.config.userConfig ?? ''
  }

  /**
   * Calls back when the file may have been written or replaced, or one that was refused may suit a plugin's new code, until
   * the returned function is called.
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

  #find(name: string): Section | undefined {
    const normalized = normalizeKey(name)
    return normalized === 'global' ? this.#global : this.#declared.get(normalized)?.section
  }

  #resolved(definition: SectionDefinition): Section {
    const problems: Problem[] = []
    const inputs = { file: this.#content, environment: this.#environment, places: this.#places }
    const section = resolvePlugin(definition, inputs, this.#global, problems)
    failOn(problems)
    return section
  }

  async #reload(accept?: Acceptance): Promise<readonly ConfigChange[]> {
    if (this.file === undefined) return []
    const content = await ConfigFile.readAgain(this.file)
    const { global, declared, changes } = await this.#accepted(content, accept)
    this.#content = content
    this.#global = global
    this.#declared = declared
    return changes
  }

  /** What a file makes, once that is accepted; what is refused after all is taken back. */
  async #accepted(content: ConfigFile, accept?: Acceptance): Promise<Renewal> {
    const renewal = this.#renewed(content)
    if (accept === undefined) return renewal
    await accept(renewal.global.config.values as GlobalConfig)
    try {
      return this.#renewed(content)
    } catch (error) {
      // Of the plugins that were declared meanwhile, one does not suit it.
      await accept(this.global)
      throw error
    }
  }

  #renewed(content: ConfigFile): Renewal {
    const inputs = { file: content, environment: this.#environment, places: this.#places }
    const problems = [...content.problems]
    const global = resolveGlobal(inputs, problems)
    const declared = new Map<string, Declared>()
    const changes = changesBetween(this.#global, global)
    for (const [name, { definitions, section: old }] of this.#declared) {
      const section = resolveNewest(definitions, inputs, global, problems) ?? old
      declared.set(name, { definitions, section })
      changes.push(...changesBetween(old, section))
    }
    this.#refusal = problems
    failOn(problems)
    return { global, declared, changes }
  }
}

/** The section by the first definition that the file suits; else the problems are those of the very first. */
function resolveNewest(
  definitions: readonly SectionDefinition[],
  inputs: Inputs,
  global: Section,
  problems: Problem[],
): Section | undefined {
  const found: Problem[][] = []
  for (const definition of definitions) {
    const ofSection: Problem[] = []
    const section = resolvePlugin(definition, inputs, global, ofSection)
    if (ofSection.length === 0) return section
    found.push(ofSection)
  }
  problems.push(...(found[0] ?? []))
  return undefined
}

function failOn(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ConfigError(problems)
}

/** The values were read by the schema that the type was made from. */
function typed<Values>(section: Section): SectionConfig<Values> {
  return section.config as SectionConfig<Values>
}
