import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { SrtConfig } from './config.ts'

/** What the plugin is given, with its config. */
export type SrtContext = PluginContext<PluginConfig<typeof SrtConfig>>
