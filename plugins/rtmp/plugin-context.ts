import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { RtmpConfig } from './config.ts'

/** What the plugin is given, with its config. */
export type RtmpContext = PluginContext<PluginConfig<typeof RtmpConfig>>
