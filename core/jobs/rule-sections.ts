import { hasRules } from '../config/schema.ts'
import type { PluginView } from '../host/plugin-view.ts'

/** The plugins that run and have rules of a kind, with the values of their sections; in the order of the plugins. */
export function sectionsWithRules(
  plugins: readonly PluginView[],
  kind: 'pull' | 'push' | 'record',
): { readonly plugin: string; readonly values: unknown }[] {
  return plugins.flatMap(({ name, state, definition, config }) => {
    if (state !== 'running' || definition === undefined || !hasRules(definition, kind)) return []
    return [{ plugin: name, values: config?.values }]
  })
}
