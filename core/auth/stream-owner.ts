import type { InheritedConfig } from 'sluice/sdk'
import type { Logger } from 'pino'

/** The generation of a plugin that makes sessions. */
export type StreamOwner = {
  /** The plugin's name: the `protocol` of its sessions. */
  readonly plugin: string
  readonly generation: number
  readonly log: Logger
  /** The plugin's effective config. */
  readonly config: Readonly<InheritedConfig>
  /** True when the admission control server gets a notice at the end of a session. */
  readonly closingNotice: boolean
}
