import { Document } from 'yaml'
import { messageOf } from 'sluice/sdk'
import { findDatabase } from '../store/database.ts'
import type { ConfigFile } from './config-file.ts'
import type { Place, Problem } from './config-error.ts'
import type { Environment } from './environment.ts'
import { GlobalConfig } from 'sluice/sdk/host'
import { normalizeKey } from './key-name.ts'
import type { Modifications } from './modifications.ts'
import { INHERITED, leavesOf, ownSchema, sectionSchema } from './schema.ts'
import type { GroupSchema, Leaf, SectionDefinition } from './schema.ts'
import { Section, type Layer } from './section.ts'
import { readSettings, type Setting, type SettingMap } from './settings.ts'
import { ValueReader } from './value-reader.ts'

/** The user's values, and the places where they may be corrected. */
export type Inputs = {
  readonly file: ConfigFile
  readonly environment: Environment
  readonly modified: Modifications
  /** The files of plugins' code. */
  readonly places: { get(definition: SectionDefinition): string | undefined }
}

const GLOBAL = GlobalConfig as GroupSchema
const INHERITED_PATHS = new Set(leavesOf(INHERITED).map(({ path }) => path))

export function resolveGlobal(inputs: Inputs, problems: Problem[]): Section {
  const leaves = leavesOf(GLOBAL)
  const place = { file: 'global', line: 0, column: 0 }
  const layers: readonly Layer[] = [
    ...userLayers({ name: 'global', schema: GLOBAL, leaves }, inputs, problems),
    { source: 'default', settings: schemaDefaults('global', leaves, place, problems) },
  ]
  const section = new Section('global', GLOBAL, layers)
  const problem = databaseProblem(section)
  if (problem === undefined) return section
  problems.push(problem)
  return new Section('global', GLOBAL, layers.map(withoutDatabase))
}

function withoutDatabase({ source, settings }: Layer): Layer {
  if (source === 'default') return { source, settings }
  return { source, settings: new Map([...settings].filter(([path]) => !path.startsWith('db.'))) }
}

/** The error in the combination of `db.dsn` and `db.dbtype`. */
function databaseProblem({ config, settings }: Section): Problem | undefined {
  const { db, datadir } = config.values as GlobalConfig
  try {
    findDatabase({ ...db, datadir })
    return undefined
  } catch (error) {
    const place = settings.get('db.dsn')?.place ?? { file: 'global', line: 0, column: 0 }
    return { ...place, key: 'global.db.dsn', message: messageOf(error) }
  }
}

/** Resolves the effective section of a plugin. Adds errors to `problems`; with any, the section must not be used. */
export function resolvePlugin(
  definition: SectionDefinition,
  inputs: Inputs,
  global: Section,
  problems: Problem[],
): Section {
  const { name } = definition
  const schema = sectionSchema(definition)
  const leaves = leavesOf(schema)
  const own = new Set(leavesOf(ownSchema(definition)).map(({ path }) => path))
  const place = { file: `plugin ${name}`, line: 0, column: 0 }
  const defaultsOf = (wanted: (path: string) => boolean) =>
    schemaDefaults(
      name,
      leaves.filter(({ path }) => wanted(path)),
      place,
      problems,
    )
  const section = new Section(name, schema, [
    ...userLayers({ name, schema, leaves, foreignKey: foreignKeyOf(definition, inputs) }, inputs, problems),
    { source: 'plugin', settings: definitionDefaults(definition, schema, place, problems) },
    { source: 'plugin', settings: defaultsOf((path) => own.has(path)) },
    { source: 'global', settings: inheritable(global, definition) },
    { source: 'default', settings: defaultsOf((path) => !own.has(path)) },
  ])
  const written = inputs.file.sections.get(normalizeKey(name))?.place ?? place
  for (const { path, required } of leaves) {
    if (!required || section.settings.has(path) || problems.some(({ key }) => key === `${name}.${path}`)) continue
    problems.push({ ...written, key: `${name}.${path}`, message: 'is missing, and has no default' })
  }
  return section
}

type Written = {
  readonly name: string
  readonly schema: GroupSchema
  readonly leaves: readonly Leaf[]
  /** Makes the message for a key that the section does not have, and that resembles none of its keys. */
  readonly foreignKey?: ((key: string) => string) | undefined
}

function userLayers(
  { name, schema, leaves, foreignKey }: Written,
  { file, environment, modified }: Inputs,
  problems: Problem[],
): Layer[] {
  const layers: Layer[] = [
    { source: 'modify', settings: modified.read(name, schema, problems) },
    { source: 'env', settings: environment.read(name, leaves, problems) },
  ]
  const written = file.sections.get(normalizeKey(name))
  if (written === undefined) return layers
  const reader = file.reader(schema, foreignKey)
  const settings = readSettings(reader, written.node, schema, { key: name, place: written.place })
  problems.push(...reader.problems)
  return [...layers, { source: 'file', settings }]
}

/** The message for a key of a plugin without a config of its own: mostly the definition lacks the key. */
function foreignKeyOf(definition: SectionDefinition, { places }: Inputs): Written['foreignKey'] {
  if (definition.config !== undefined) return undefined
  const place = places.get(definition) ?? 'its definition'
  return (key) =>
    `unknown key; plugin '${definition.name}' declares no config of its own: remove the key, or add ` +
    `\`config: Type.Object({ ${key}: … })\` to ${place}`
}

function definitionDefaults(
  { name, defaults = {} }: SectionDefinition,
  schema: GroupSchema,
  place: Place,
  problems: Problem[],
): SettingMap {
  const document = new Document(defaults)
  const reader = new ValueReader({ document, section: schema })
  const settings = readSettings(reader, document.contents, schema, { key: name, place })
  problems.push(...reader.problems)
  return settings
}

function schemaDefaults(section: string, leaves: readonly Leaf[], place: Place, problems: Problem[]): SettingMap {
  const reader = new ValueReader({ document: new Document() })
  const settings = new Map<string, Setting>()
  for (const { path, schema } of leaves) {
    if (schema.default === undefined) continue
    const reading = reader.readDefault(schema, { key: `${section}.${path}`, place })
    if (reading !== undefined) settings.set(path, { ...reading, place })
  }
  problems.push(...reader.problems)
  return settings
}

/**
 * The settings that a plugin inherits. With `disableall`, they have `enable: false`, except for plugins that were once a
 * part of the server.
 */
function inheritable(global: Section, { formerNames }: SectionDefinition): SettingMap {
  const settings = new Map([...global.userSettings()].filter(([path]) => INHERITED_PATHS.has(path)))
  const disableAll = global.settings.get('disableall')
  if (disableAll?.value === true && formerNames === undefined)
    settings.set('enable', { ...disableAll, written: false, value: false, shown: false })
  return settings
}
