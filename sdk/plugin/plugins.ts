import type { InheritedConfig } from '../config/groups.ts'
import type { PullConfig, PushConfig } from '../config/jobs.ts'
import type { RecordConfig } from '../config/record.ts'
import type { ProtocolTraits } from './protocol-traits.ts'

/** A plugin that the server knows, as others see it; a snapshot. */
export type PluginInfo = {
  readonly name: string
  readonly isRunning: boolean
  /** The names of the services that its definition offers. */
  readonly provides: readonly string[]
  /** The protocol that it speaks, as its definition says; undefined where it says none. */
  readonly protocol: ProtocolTraits | undefined
  /** Its effective config: the inherited groups, its own keys, and the rules that the host put there. It may hold secrets. */
  readonly config: Readonly<InheritedConfig>
}

/** The groups of rules that the host puts into the sections of plugins which offer such a service under their own name. */
export type RuleGroups = { readonly pull: PullConfig; readonly push: PushConfig; readonly record: RecordConfig }

/** The section of a plugin, as far as its rules of one kind go. */
export type RuleSection<Kind extends keyof RuleGroups> = {
  readonly plugin: string
  readonly config: RuleGroups[Kind] & Readonly<InheritedConfig>
}

/** The plugins of the server: for plugins that do their work by the sections of others, as a recorder does. */
export interface PluginDirectory {
  /** The plugins with a valid section, in the order in which they were found. */
  list(): readonly PluginInfo[]
  /** Returns one of them; undefined where there is no such plugin. */
  get(name: string): PluginInfo | undefined
  /**
   * Returns the name of the plugin that speaks the protocol of an address, running or not: by the scheme, a part of the path or the
   * ending, as in the `protocol` of the definitions; undefined when no definition has it. `ctx.jobs.pulls.protocolOf` knows further
   * addresses, of plugins that run.
   */
  protocolOf(url: string): string | undefined
  /**
   * Returns the sections with rules of a kind, of plugins that run, in the order of the plugins.
   *
   * | kind | the section's groups | has it |
   * | --- | --- | --- |
   * | `pull` | `pull`, `onsub.pull` | a plugin that provides `pull:` and its own name |
   * | `push` | `onpub.push` | a plugin that provides `push:` and its own name |
   * | `record` | `onpub.record` and the terms of recordings | a plugin that provides `record:` and its own name |
   */
  rules<Kind extends keyof RuleGroups>(kind: Kind): readonly RuleSection<Kind>[]
  /**
   * Calls `listener` after plugins may have started, changed or gone, their config included, and once when the generation
   * takes over. Its errors are logged.
   * @returns a function that stops that
   */
  onChange(listener: () => void): () => void
}
