import type { Static, TObject, TProperties } from 'typebox'
import type { InheritedConfig } from '../config/groups.ts'
import type { Frozen, Written } from '../config/values.ts'
import type { PluginContext } from './context.ts'

/** The effective config of a plugin: its own keys and the groups every plugin has. */
export type PluginConfig<Schema extends TObject> = Frozen<Static<Schema>> & InheritedConfig

/**
 * Where clients reach a plugin; templates with `{hostName}` and `{streamPath}`, as `addressTemplates` makes them. Shown
 * in `/api/sysinfo`.
 */
export type Endpoints = {
  readonly pushAddr?: readonly string[]
  readonly playAddr?: readonly string[]
  readonly pullAddr?: readonly string[]
  readonly downloadAddr?: readonly string[]
}

/** A plugin: what it is called, what it needs, and what it does. `name`, `version` and `setup` are enough. */
export interface PluginDefinition<Schema extends TObject = TObject<TProperties>> {
  /** Lower case; also its config section, its HTTP prefix and the `protocol` of its sessions. */
  readonly name: string
  readonly version: string
  /** The sdk version it was written for, as `^1`; a host with another major refuses it. */
  readonly sdk?: string
  readonly description?: string
  /** Plugins or services that must be up before this one. */
  readonly requires?: readonly string[]
  /** Services it offers. */
  readonly provides?: readonly string[]
  /** The keys of its own section; every key needs a default. */
  readonly config?: Schema
  /** Other defaults for the inherited groups, as written in a file; they win over `global`. */
  readonly defaults?: Written<InheritedConfig>
  /** Keys, as dotted paths (`chunksize`, `publish`), whose change `onConfig` takes; other changes reload the plugin. */
  readonly live?: readonly string[]
  /** HTTP prefixes, without slashes; the plugin's name when left out. The empty one is the page at `/`. */
  readonly mounts?: readonly string[]
  /** Whether the end of a session is told to the admission control server (spec.md, Events); default false. */
  readonly closingNotice?: boolean
  endpoints?(config: PluginConfig<Schema>): Endpoints
  /** Starts the plugin. Throwing, rejecting or not settling within 10 s disables it; the host goes on. */
  setup(ctx: PluginContext<PluginConfig<Schema>>): void | Promise<void>
}

/** Types a plugin's definition from its config schema; the definition is the default export of the plugin's file. */
export function definePlugin<Schema extends TObject = TObject<{}>>(
  definition: PluginDefinition<Schema>,
): PluginDefinition<Schema> {
  return definition
}
