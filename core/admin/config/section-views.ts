import { stringify } from 'yaml'
import { Type, type Static } from 'sluice/sdk'
import type { Config } from '../../config/config.ts'
import type { Section } from '../../config/section.ts'
import { nested, type Setting, type Source } from '../../config/settings.ts'

/** A value of any kind. */
const Value = Type.Unsafe<unknown>({ description: 'As in a file; secrets are masked' })

/** A section, or a part of it, as it would be written in a file, secrets masked. */
export const SectionValues = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })

/** The effective values of a section, and their sources. */
export const SectionView = Type.Object({
  config: SectionValues,
  sources: Type.Record(Type.String(), Type.String(), {
    description: 'Where each value comes from, by dotted path: default, global, plugin, file, env or modify',
  }),
  inherited: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description: 'The values that the section would have if nothing were set in it',
  }),
  revision: Type.Integer({
    description: 'Counts the changes at run time; a change that tells it is refused when it is old',
  }),
  storable: Type.Boolean({
    description:
      'Changes can be kept: false while the database is away, when they can be set until the server ends only',
  }),
})

export function sectionView(config: Config, section: Section, storable: boolean): Static<typeof SectionView> {
  return {
    config: shownValues(section),
    sources: Object.fromEntries(section.config.sources),
    inherited: shown(section, (path) => section.inherited(path)),
    revision: config.modified.revisionOf(section.name),
    storable,
  }
}

/** The effective values of a section as they would be written in a file, secrets masked. */
export function shownValues(section: Section): Readonly<Record<string, unknown>> {
  return shown(section, (path) => section.settings.get(path))
}

/** The values that a layer sets in a section, as YAML, secrets masked; empty when it sets none. */
export function layerText(section: Section, wanted: Source): string {
  const values = shown(section, (path) => section.layersOf(path).find(({ source }) => source === wanted))
  return Object.keys(values).length === 0 ? '' : stringify(values)
}

/** The effective values of a section as YAML, secrets masked. */
export function mergedText(section: Section): string {
  return stringify(shownValues(section))
}

/** A key with all values that are set for it, the strongest first. */
export const KeyView = Type.Object({
  key: Type.String(),
  value: Value,
  source: Type.String(),
  secret: Type.Boolean(),
  layers: Type.Array(
    Type.Object({
      source: Type.String(),
      value: Value,
      place: Type.String({ description: 'File and line, variable, or plugin' }),
      by: Type.Optional(Type.String({ description: 'Who set it at run time' })),
      time: Type.Optional(Type.String({ format: 'date-time' })),
    }),
  ),
})

export function keyViews(config: Config, section: Section): Static<typeof KeyView>[] {
  const modified = new Map(config.modified.of(section.name).map((one) => [one.path, one]))
  return section.entries().map(({ key, value, source, secret }) => {
    const layers = section.layersOf(key).map((setting) => {
      const { by, atMs = 0 } = (setting.source === 'modify' && modified.get(key)) || {}
      const edit = by === undefined ? {} : { by, time: new Date(atMs).toISOString() }
      return { source: setting.source, value: setting.shown, place: placeText(setting), ...edit }
    })
    return { key, value, source, secret, layers }
  })
}

function placeText({ place: { file, line } }: Setting): string {
  return line === 0 ? file : `${file}:${line}`
}

function shown(section: Section, settingOf: (path: string) => Setting | undefined): Readonly<Record<string, unknown>> {
  return nested(
    section.leaves.flatMap(({ path }) => {
      const setting = settingOf(path)
      return setting === undefined ? [] : [[path, setting.shown] as const]
    }),
  )
}
