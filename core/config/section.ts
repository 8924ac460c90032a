import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { nested, type Setting, type SettingMap, type Source } from './settings.ts'
import type { Leaf } from './schema.ts'

/** The effective config of a section; never changes. */
export type SectionConfig<Values = unknown> = {
  /** Whether the plugin is to run. */
  readonly enabled: boolean
  /** Complete and frozen; durations in milliseconds, sizes in bytes. */
  readonly values: Values
  /** Where each value comes from, by dotted path (`publish.key`). */
  readonly sources: ReadonlyMap<string, Source>
  /** What the user set in file and environment, as YAML, secrets masked; empty when that is nothing. */
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

/** The settings of a section that won over those of weaker layers. */
export class Section {
  readonly name: string
  readonly leaves: readonly Leaf[]
  readonly settings: ReadonlyMap<string, Setting & { readonly source: Source }>
  readonly config: SectionConfig
  /** The layers that are not the user's in this section. */
  readonly #given: readonly Layer[]

  /** The layers come strongest first. */
  constructor(name: string, leaves: readonly Leaf[], layers: readonly Layer[]) {
    this.name = name
    this.leaves = leaves
    this.#given = layers.filter(({ source }) => !isUsers(source))
    this.settings = winners(leaves, layers)
    const values = [...this.settings].flatMap(([path, { value }]) =>
      path === 'enable' ? [] : [[path, value] as const],
    )
    const paths = leaves.map(({ path }) => path)
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

  /** What the user set here, which is what plugins may inherit. */
  userSettings(): SettingMap {
    return new Map([...this.settings].filter(([, { source }]) => isUsers(source)))
  }

  #differs(path: string, { source, value }: Setting & { readonly source: Source }): boolean {
    const given = this.#given.find(({ settings }) => settings.has(path))?.settings.get(path)
    return isUsers(source) && !isDeepStrictEqual(value, given?.value)
  }

  #userConfig(): string {
    const shown = [...this.userSettings()].map(([path, setting]) => [path, setting.shown] as const)
    return shown.length === 0 ? '' : stringify(nested(shown))
  }
}

function isUsers(source: Source): boolean {
  return source === 'file' || source === 'env'
}

function winners(leaves: readonly Leaf[], layers: readonly Layer[]): Section['settings'] {
  const settings = new Map<string, Setting & { readonly source: Source }>()
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
