import type { Migration } from 'kysely/migration'
import type { Static, TObject, TProperties } from 'typebox'
import type { InheritedConfig } from '../config/groups.ts'
import type { Frozen, Written } from '../config/values.ts'
import type { PluginContext } from './context.ts'
import type { Endpoints } from './endpoints.ts'
import type { PluginPage } from './pages.ts'
import type { ProtocolTraits } from './protocol-traits.ts'

/** The effective config of a plugin: its own keys and the groups every plugin has. */
export type PluginConfig<Schema extends TObject> = Frozen<Static<Schema>> & InheritedConfig

/** Names that a part of the server had before it was a plugin; its migrations, tables and metrics keep them. */
export type FormerNames = {
  /** The former owner of its migrations. */
  readonly migrations?: string
  /** The beginnings of the names of its tables and indexes, besides the plugin's. */
  readonly tables?: readonly string[]
  /** The beginnings of the names of its metrics, which it then gives whole. */
  readonly metrics?: readonly string[]
}

/** The definition of a plugin: its name, its needs and its work. `name`, `version` and `setup` are enough. */
export interface PluginDefinition<Schema extends TObject = TObject<TProperties>> {
  /** The name in lower case; also its config section, its HTTP prefix and the `protocol` of its sessions. */
  readonly name: string
  readonly version: string
  /** The sdk version it was written for, as `^1`; a host with another major refuses it. */
  readonly sdk?: string
  readonly description?: string
  /** Names of plugins or services that must be up before this one starts. */
  readonly requires?: readonly string[]
  /** Names of the services it offers. */
  readonly provides?: readonly string[]
  /**
   * Names of the notices that it sends by `ctx.hooks.notify`: its own, `taskBegan`, `taskEnded` and `alarm`, but no others of
   * the server. Several plugins may send the same.
   */
  readonly notices?: readonly string[]
  /** The schema of its own keys in the config; every key needs a default. */
  readonly config?: Schema
  /** Other defaults for the inherited groups, written as in a file; they win over `global`. */
  readonly defaults?: Written<InheritedConfig>
  /** Keys or groups of keys, as dotted paths (`chunksize`, `publish`), that `onConfig` takes; other changes reload the plugin. */
  readonly live?: readonly string[]
  /** The protocol that it speaks, for those that know none; left out where it speaks none of its own. */
  readonly protocol?: ProtocolTraits
  /** HTTP prefixes, without slashes; the plugin's name when left out. The empty one is the page at `/`. */
  readonly mounts?: readonly string[]
  /** True when the end of its sessions is reported to the admission control server (spec.md, Events); default false. */
  readonly closingNotice?: boolean
  /**
   * The migrations that make its tables, by name (`001-rings`): those that have not run yet run before `setup`, in the order
   * of their names, each in a transaction. A released migration never changes; further changes are another one. The names of
   * the tables begin with the plugin's, with `_` for `-`, and `_`; their data stays when the plugin goes.
   */
  readonly tables?: Readonly<Record<string, Migration>>
  /**
   * `one` for a plugin that must not run twice, such as one that publishes streams of its own: where the server has several
   * processes, one of them runs it, and drains it where another is to run it instead. Default `each`.
   */
  readonly processes?: 'each' | 'one'
  /**
   * True for a plugin that reports the beginning and the end of all others: when the server starts, they wait until it runs, or has
   * failed, and when the server stops, it is disposed after them. Default false.
   */
  readonly endsLast?: boolean
  /**
   * True for a plugin that is to begin when others can be counted on: when the server starts, its `setup` runs after that of all
   * others. Default false.
   */
  readonly startsLast?: boolean
  /**
   * Names of the server's that became this plugin's, where a part of the server was made a plugin; none unless given. Such a plugin
   * stays on with `global.disableall`: only its own section switches it off.
   */
  readonly formerNames?: FormerNames
  /**
   * The pages for people that its routes serve, or that the console shows in its frame; `/api/sysinfo` lists them for the menu of the
   * administration. Naming a page with a `url` serves nothing.
   */
  readonly pages?: readonly PluginPage[]
  endpoints?(config: PluginConfig<Schema>): Endpoints
  /**
   * Starts a generation of the plugin. Where it throws, rejects or does not settle within 10 s, all it made is undone: the
   * generation before goes on or, without one, the plugin is disabled. Others go on in any case.
   */
  setup(ctx: PluginContext<PluginConfig<Schema>>): void | Promise<void>
}

/** Types a plugin's definition from its config schema; the definition is the default export of the plugin's file. */
export function definePlugin<Schema extends TObject = TObject<{}>>(
  definition: PluginDefinition<Schema>,
): PluginDefinition<Schema> {
  return definition
}
