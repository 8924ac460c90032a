import type { PluginDefinition } from 'sluice/sdk'
import { nearestKey, normalizeKey } from '../config/key-name.ts'
import { leavesOf, sectionSchema } from '../config/schema.ts'
import { PluginError } from './plugin-error.ts'

/** @throws {PluginError} when `live` contains a name that is neither a key nor a group of keys of the plugin's section */
export function checkLiveKeys(definition: PluginDefinition): void {
  const known = leavesOf(sectionSchema(definition)).flatMap(({ path }) => withGroups(path))
  const normalized = new Set(known.map(normalizeKey))
  const unknown = definition.live?.find((live) => !normalized.has(normalizeKey(live)))
  if (unknown === undefined) return
  const nearest = nearestKey(unknown, known)
  const hint = nearest === undefined ? '' : `, did you mean '${nearest}'?`
  throw new PluginError(`has a bad live: its config has no key '${unknown}'${hint}`)
}

/** True when the plugin takes a key live, by itself or with its group. */
export function isLive({ live = [] }: PluginDefinition, key: string): boolean {
  const places = new Set(withGroups(normalizeKey(key)))
  return live.some((name) => places.has(normalizeKey(name)))
}

/** A dotted path and its groups: `publish.key`, `publish`. */
function withGroups(path: string): string[] {
  const names = path.split('.')
  return names.map((_name, index) => names.slice(0, index + 1).join('.'))
}
