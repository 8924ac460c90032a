import { isDeepStrictEqual } from 'node:util'
import { Document, isCollection } from 'yaml'
import { setCommented } from './commented-yaml.ts'
import { leavesOf, type GroupSchema, type Leaf } from './schema.ts'
import { isUsers, nested, type Setting, type SettingMap, type Source } from './settings.ts'

/** The effective config of a section. Immutable. */
export type SectionConfig<Values = unknown> = {
  /** True when the plugin is enabled. */
  readonly enabled: boolean
  /** All values, frozen; durations in milliseconds, sizes in bytes. */
  readonly values: Values
  /** The source of each value, by dotted path (`publish.key`). */
  readonly sources: ReadonlyMap<string, Source>
  /** The user's values as YAML, secrets masked, with a comment at those set at run time; empty when the user has set none. */
  readonly userConfig: string
}

/** One key of a section as it is shown to people. */
export type ConfigEntry = {
  /** The dotted path. */
  readonly key: string
  /** The value as written in a file; `******` instead of a secret that isn't empty. */
  readonly value: unknown
  readonly source: Source
  readonly secret: boolean
  /** True when the user gave the key another value than it would have anyway. */
  readonly differs: boolean
}

/** The settings of one source. */
export type Layer = { readonly source: Source; readonly settings: SettingMap }

/** A value with the layer that it comes from. */
export type SourcedSetting = Setting & { readonly source: Source }

/** A section with its layers; a setting of a stronger layer replaces those of weaker ones. */
export class Section {
  readonly name: string
  readonly schema: GroupSchema
  readonly leaves: readonly Leaf[]
  readonly settings: ReadonlyMap<string, SourcedSetting>
  readonly config: SectionConfig
  readonly #layers: readonly Layer[]

  /** Takes the layers in order, the strongest first. */
  constructor(name: string, schema: GroupSchema, layers: readonly Layer[]) {
    this.name = name
    this.schema = schema
    this.leaves = leavesOf(schema)
    this.#layers = layers
    this.settings = winners(this.leaves, layers)
    const values = [...this.settings].flatMap(([path, { value }]) =>
      path === 'enable' ? [] : [[path, value] as const],
    )
    const paths = this.leaves.map(({ path }) => path)
    this.config = Object.freeze({
      enabled: this.settings.get('enable')?.value !== false,
      values: frozen(nested(values, paths)),
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

  /** The values that the user set here, which plugins may inherit. */
  userSettings(): SettingMap {
    return new Map([...this.settings].filter(([, { source }]) => isUsers(source)))
  }

  /** All values that are set for a key, strongest first: the first is the effective one. */
  layersOf(path: string): readonly SourcedSetting[] {
    return this.#layers.flatMap(({ source, settings }) => {
      const setting = settings.get(path)
      return setting === undefined ? [] : [{ ...setting, source }]
    })
  }

  /** The value that a key would have without the values set at run time. */
  unmodified(path: string): SourcedSetting | undefined {
    return this.layersOf(path).find(({ source }) => source !== 'modify')
  }

  /** The value that a key would have without the user's values in this section. */
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
