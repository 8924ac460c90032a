import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { Gb28181Config } from './config.ts'

/** The plugin's context, with its config. */
export type GbContext = PluginContext<PluginConfig<typeof Gb28181Config>>
