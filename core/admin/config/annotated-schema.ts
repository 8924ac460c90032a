import type { PluginDefinition } from 'sluice/sdk'
import { holdsFromNextStart } from '../../config/config-editor.ts'
import { hostKeys, INHERITED, isGroup, leavesOf, type Apply, type GroupSchema } from '../../config/schema.ts'
import type { Section } from '../../config/section.ts'
import { isLive } from '../../host/live-keys.ts'

/** The keys of `global` that plugins have, too. */
const INHERITED_PATHS: ReadonlySet<string> = new Set(leavesOf(INHERITED).map(({ path }) => path))
/** The prefix of the webhooks' keys: the host reads them itself, also for plugins that inherit them. */
const HOOK = 'hook.'

/**
 * The schema of a section, in which each key has a note how a change takes effect and whether it is inherited.
 * @param definition the definition of the section's plugin; undefined for `global`
 */
export function annotatedSchema({ schema }: Section, definition: PluginDefinition | undefined): GroupSchema {
  if (definition === undefined) return annotated(schema, undefined, '', globalApply)
  const hosts = hostKeys(definition)
  const apply = (path: string) => (hosts.has(path) || isLive(definition, path) ? 'live' : 'reload')
  return annotated(schema, INHERITED, '', apply)
}

function globalApply(path: string): Apply {
  if (holdsFromNextStart(path)) return 'restart'
  return INHERITED_PATHS.has(path) && !path.startsWith(HOOK) ? 'reload' : 'live'
}

function annotated(
  group: GroupSchema,
  inherited: GroupSchema | undefined,
  prefix: string,
  applyOf: (path: string) => Apply,
): GroupSchema {
  const properties = Object.entries(group.properties).map(([name, schema]) => {
    const origin = inherited?.properties[name]
    const mark = origin === undefined ? {} : { 'x-inherited': true }
    const path = prefix + name
    if (!isGroup(schema)) return [name, { ...schema, ...mark, 'x-apply': applyOf(path) }] as const
    const from = origin !== undefined && isGroup(origin) ? origin : undefined
    return [name, { ...annotated(schema, from, `${path}.`, applyOf), ...mark }] as const
  })
  return { ...group, properties: Object.fromEntries(properties) }
}
