import { isDeepStrictEqual } from 'node:util'
import { Document, isCollection } from 'yaml'
import { setCommented } from './commented-yaml.ts'
import { leavesOf, type GroupSchema, type Leaf } from './schema.ts'
import { isUsers, nested, type Setting, type SettingMap, type Source } from './settings.ts'

/** The effective config of a section; never changes. */
export type SectionConfig<Values = unknown> = {
  /** Whether the plugin is to run. */
  readonly enabled: boolean
  /** Complete and frozen; durations in milliseconds, sizes in bytes. */
  readonly values: Values
  /** Where each value comes from, by dotted path (`publish.key`). */
  readonly sources: ReadonlyMap<string, Source>
  /**
   * What the user set, as YAML, secrets masked, with a comment where that was at run time; empty when that is nothing.
   */
  readonly userConfig: string
}

/** One line of what a person is shown of a section. */
export type ConfigEntry = {
  /** Dotted path. */
  readonly key: string
  /** As written in a file; `******` instead of a secret that isn't empty. */
  readonly value: unknown
  readonly source: Source
  readonly secret: boolean
  /** The user gave it another value than it would have. */
  readonly differs: boolean
}

/** What one source sets. */
export type Layer = { readonly source: Source; readonly settings: SettingMap }

/** A value with the layer that it comes from. */
export type SourcedSetting = Setting & { readonly source: Source }

/** The settings of a section that won over those of weaker layers. */
export class Section {
  readonly name: string
  readonly schema: GroupSchema
  readonly leaves: readonly Leaf[]
  readonly settings: ReadonlyMap<string, SourcedSetting>
  readonly config: SectionConfig
  readonly #layers: readonly Layer[]

  /** The layers come strongest first. */
  constructor(name: string, schema: GroupSchema, layers: readonly Layer[]) {
    this.name = name
    this.schema = schema
    this.leaves = leavesOf(schema)
    this.#layers = layers
    this.settings = winners(this.leaves, layers)
    const values = [...this.settings].map(([path, { value }]) => [path, value] as const)
    this.config = Object.freeze({
      enabled: this.settings.get('enable')?.value !== false,
      values: frozen(nested(values.filter(([path]) => path !== 'enable'))),
      sources: new Map([...this.settings].map(([path, { source }]) => [path, source])),
      userConfig: this.#userConfig(),
    })
  }

  entries(): ConfigEntry[] {
    return this.leaves.flatMap(({ path, schema }) => {
      const setting = this.settings.get(path)
      if (setting === undefined) return []
      const { shown: value, source } = setting
      return [{ key: path, value, source, secret: schema.writeOnly === true, differs: this.#differs(path, setting) }]
    })
  }

  /** What the user set here, which is what plugins may inherit. */
  userSettings(): SettingMap {
    return new Map([...this.settings].filter(([, { source }]) => isUsers(source)))
  }

  /** All that is set for a key, strongest first: the first is the one that holds. */
  layersOf(path: string): readonly SourcedSetting[] {
    return this.#layers.flatMap(({ source, settings }) => {
      const setting = settings.get(path)
      return setting === undefined ? [] : [{ ...setting, source }]
    })
  }

  /** The value that a key would have if nothing had been set at run time. */
  unmodified(path: string): SourcedSetting | undefined {
    return this.layersOf(path).find(({ source }) => source !== 'modify')
  }

  /** The value that a key would have if the user had set nothing in this section. */
  inherited(path: string): SourcedSetting | undefined {
    return this.layersOf(path).find(({ source }) => !isUsers(source))
  }

  #differs(path: string, { source, value }: SourcedSetting): boolean {
    return isUsers(source) && !isDeepStrictEqual(value, this.inherited(path)?.value)
  }

  #userConfig(): string {
    const document = new Document({})
    for (const [path, { shown, source }] of this.settings) {
      const names = path.split('.')
      if (source === 'modify') setCommented(document, names, shown, source)
      else if (isUsers(source)) document.setIn(names, document.createNode(shown))
    }
    return isCollection(document.contents) && document.contents.items.length > 0 ? document.toString() : ''
  }
}

function winners(leaves: readonly Leaf[], layers: readonly Layer[]): Section['settings'] {
  const settings = new Map<string, SourcedSetting>()
  for (const { path } of leaves) {
    for (const { source, settings: candidates } of layers) {
      const setting = candidates.get(path)
      if (setting === undefined) continue
      settings.set(path, { ...setting, source })
      break
    }
  }
  return settings
}

/** Freezes the groups; the values in them are frozen already. */
function frozen(group: Record<string, unknown>): Readonly<Record<string, unknown>> {
  for (const value of Object.values(group)) {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) frozen(value as typeof group)
  }
  return Object.freeze(group)
}
