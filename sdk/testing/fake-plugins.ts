import type { TObject } from 'typebox'
import { PullConfig, PushConfig } from '../config/jobs.ts'
import { RecordConfig } from '../config/record.ts'
import { protocolOfUrl, type ProtocolTraits } from '../plugin/protocol-traits.ts'
import type { PluginDirectory, PluginInfo, RuleGroups, RuleSection } from '../plugin/plugins.ts'
import { effectiveConfig, type WrittenConfig } from './fake-config.ts'

/** Another plugin, as a test describes it: its section as it would be in the config file, with the groups of its rules. */
export type FakePlugin = {
  readonly name: string
  readonly provides?: readonly string[]
  readonly protocol?: ProtocolTraits
  readonly isRunning?: boolean
  readonly config?: WrittenConfig
}

const GROUPS = { pull: PullConfig, push: PushConfig, record: RecordConfig }
const KINDS = ['pull', 'push', 'record'] as const

/** The plugins of a server, as a test sets them. */
export class FakePlugins implements PluginDirectory {
  readonly #listeners = new Set<() => void>()
  #plugins: readonly PluginInfo[] = []

  /** Replaces the plugins, and calls the listeners. */
  set(plugins: readonly FakePlugin[]): void {
    this.#plugins = plugins.map(({ name, provides = [], protocol, isRunning = true, config }) => {
      const kinds = KINDS.filter((kind) => provides.includes(`${kind}:${name}`))
      const properties = Object.assign({}, ...kinds.map((kind) => GROUPS[kind].properties))
      const values = effectiveConfig({ config: { properties } as TObject }, config)
      return { name, isRunning, provides, protocol, config: values }
    })
    for (const listener of this.#listeners) listener()
  }

  list(): readonly PluginInfo[] {
    return this.#plugins
  }

  get(name: string): PluginInfo | undefined {
    return this.#plugins.find((plugin) => plugin.name === name)
  }

  protocolOf(url: string): string | undefined {
    return protocolOfUrl(url, this.#plugins)
  }

  rules<Kind extends keyof RuleGroups>(kind: Kind): readonly RuleSection<Kind>[] {
    const running = this.#plugins.filter(({ isRunning }) => isRunning)
    const recording = running.filter(({ name, provides }) => provides.includes(`${kind}:${name}`))
    return recording.map(({ name, config }) => ({ plugin: name, config: config as RuleSection<Kind>['config'] }))
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    listener()
    return () => void this.#listeners.delete(listener)
  }
}
