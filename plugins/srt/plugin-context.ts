import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { SrtConfig } from './config.ts'

/** The plugin's context, with its config. */
export type SrtContext = PluginContext<PluginConfig<typeof SrtConfig>>
