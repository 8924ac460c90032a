import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { RtmpConfig } from './config.ts'

/** The plugin's context, with its config. */
export type RtmpContext = PluginContext<PluginConfig<typeof RtmpConfig>>
