import type { Place } from './config-error.ts'
import type { Reading } from './reading.ts'
import { isGroup, type GroupSchema } from './schema.ts'
import type { Spot, ValueReader } from './value-reader.ts'

/** The sources of an effective value, from the weakest to the strongest. */
export type Source = 'default' | 'global' | 'plugin' | 'file' | 'env' | 'modify'

/** True when a value was set by the user in its section. */
export function isUsers(source: Source): boolean {
  return source === 'file' || source === 'env' || source === 'modify'
}

/** The value of one key, and the place where it was written. */
export type Setting = Reading & { readonly place: Place }

/** The values that one layer of the config sets, by the dotted path of the key. */
export type SettingMap = ReadonlyMap<string, Setting>

/** Reads the value of a group into one setting for each of its keys, and of the keys of the groups in it. */
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

/**
 * Builds an object in which each dotted path of the map is a nested key.
 * @param known paths whose groups exist even when none of their keys has a value
 */
export function nested(
  values: Iterable<readonly [path: string, value: unknown]>,
  known: readonly string[] = [],
): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const path of known) groupOf(root, path)
  for (const [path, value] of values) groupOf(root, path)[path.slice(path.lastIndexOf('.') + 1)] = value
  return root
}

/** Returns the group that a path lies in, and makes it where it is missing. */
function groupOf(root: Record<string, unknown>, path: string): Record<string, unknown> {
  let group = root
  for (const name of path.split('.').slice(0, -1)) group = (group[name] ??= {}) as Record<string, unknown>
  return group
}
