import type { PluginConfig, PluginContext } from 'sluice/sdk'
import type { RtspConfig } from './config.ts'

/** The plugin's context, with its config. */
export type RtspContext = PluginContext<PluginConfig<typeof RtspConfig>>

/** Timers that end with the generation, and the signal of that end. */
export type Timers = Pick<RtspContext, 'setTimeout' | 'setInterval' | 'signal'>
