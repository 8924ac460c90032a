import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { WebRtcConfig } from './config.ts'

/** The plugin's context, with its config. */
export type WebRtcContext = PluginContext<PluginConfig<typeof WebRtcConfig>>
