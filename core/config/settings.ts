import type { Place } from './config-error.ts'
import type { Reading } from './reading.ts'
import { isGroup, type GroupSchema } from './schema.ts'
import type { Spot, ValueReader } from './value-reader.ts'

/** Where an effective value comes from, from the weakest to the strongest. */
export type Source = 'default' | 'global' | 'plugin' | 'file' | 'env' | 'modify'

/** Whether a value is the user's own in its section, as opposed to one that the section has anyway. */
export function isUsers(source: Source): boolean {
  return source === 'file' || source === 'env' || source === 'modify'
}

/** The value of one key, and where it was written. */
export type Setting = Reading & { readonly place: Place }

/** What one layer of the config sets, by the dotted path of the key. */
export type SettingMap = ReadonlyMap<string, Setting>

/** Reads what is written for a group into one setting for each of its keys, and of the keys of the groups in it. */
export function readSettings(reader: ValueReader, node: unknown, schema: GroupSchema, spot: Spot): SettingMap {
  const settings = new Map<string, Setting>()
  collect(reader, node, schema, spot, '', settings)
  return settings
}

function collect(
  reader: ValueReader,
  node: unknown,
  group: GroupSchema,
  spot: Spot,
  prefix: string,
  settings: Map<string, Setting>,
): void {
  for (const entry of reader.entries(node, group, spot) ?? []) {
    const schema = group.properties[entry.name] ?? {}
    const path = prefix + entry.name
    if (isGroup(schema)) {
      collect(reader, entry.node, schema, entry.spot, `${path}.`, settings)
      continue
    }
    const reading = reader.read(entry.node, schema, entry.spot)
    if (reading !== undefined) settings.set(path, { ...reading, place: entry.spot.place })
  }
}

/** Builds an object in which each dotted path of the map is a nested key. */
export function nested(values: Iterable<readonly [path: string, value: unknown]>): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const [path, value] of values) {
    const names = path.split('.')
    let group = root
    for (const name of names.slice(0, -1)) group = (group[name] ??= {}) as Record<string, unknown>
    group[names.at(-1) ?? path] = value
  }
  return root
}
