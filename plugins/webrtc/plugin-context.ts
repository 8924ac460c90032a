import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { WebRtcConfig } from './config.ts'

/** What the plugin is given, with its config. */
export type WebRtcContext = PluginContext<PluginConfig<typeof WebRtcConfig>>
