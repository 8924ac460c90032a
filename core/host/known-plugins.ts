import type { PluginInfo, RuleGroups, RuleSection } from 'sluice/sdk'
import { protocolOfUrl } from 'sluice/sdk/host'
import type { Logger } from 'pino'
import type { StreamOwner } from '../auth/stream-owner.ts'
import { hasRules } from '../config/schema.ts'
import type { PluginView } from './plugin-view.ts'

/** The plugins at the last change, for plugins that depend on the sections of others. */
export class KnownPlugins {
  readonly #listeners = new Set<() => void>()
  #views: readonly PluginView[] = []

  /** Takes over the present plugins, and calls the listeners. */
  apply(views: readonly PluginView[]): void {
    this.#views = views
    for (const listener of this.#listeners) listener()
  }

  /** See `PluginDirectory.list`. */
  list(): PluginInfo[] {
    return this.#views.flatMap(({ name, state, definition, config }) => {
      if (config === undefined) return []
      const { provides = [], protocol } = definition ?? {}
      return [{ name, isRunning: state === 'running', provides, protocol, config: config.values }]
    })
  }

  /** The owner for sessions of a running plugin that another plugin begins in its name; undefined while it does not run. */
  ownerOf(plugin: string, log: Logger): StreamOwner | undefined {
    const config = this.list().find(({ name, isRunning }) => name === plugin && isRunning)?.config
    return config && { plugin, generation: 0, log: log.child({ plugin }), config, closingNotice: false }
  }

  /** See `PluginDirectory.protocolOf`. */
  protocolOf(url: string): string | undefined {
    return protocolOfUrl(url, this.list())
  }

  /** See `PluginDirectory.rules`. */
  rules<Kind extends keyof RuleGroups>(kind: Kind): RuleSection<Kind>[] {
    return this.#views.flatMap(({ name, state, definition, config }) => {
      if (state !== 'running' || config === undefined || definition === undefined || !hasRules(definition, kind))
        return []
      // The config system has added this group to the section.
      return [{ plugin: name, config: config.values as unknown as RuleSection<Kind>['config'] }]
    })
  }

  /**
   * Calls back after the plugins may have changed.
   * @returns a function that stops the calls
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
