import type { PluginDefinition } from 'sluice/sdk'
import type { StartNode } from './start-order.ts'
import type { Generation } from './generation/generation.ts'

/** Code that is newer than the running generation and has not taken over. */
export type NewerCode = {
  readonly definition: PluginDefinition
  /** True when it was not started, as a plugin that it requires is missing, or its section of the config is wrong. */
  readonly refused: boolean
}

export type RunningState = {
  readonly kind: 'running'
  readonly generation: Generation
  /** True when the generation runs with another config than the file has. */
  readonly stale: boolean
  readonly newer: NewerCode | undefined
  /** The reason why newer code or another config could not take over. */
  readonly error: string | undefined
}

/** The state of a plugin that was found. */
export type EntryState =
  | { readonly kind: 'loading' }
  /** The definition is known; `obstacle` is the reason why it can't have its name, or its section of the config. */
  | { readonly kind: 'loaded'; readonly obstacle: string | undefined; readonly configError: Error | undefined }
  /**
   * The plugin has its name and its config; `obstacle` is the reason why it does not start, and `isOff` is true when that is
   * no failure.
   */
  | { readonly kind: 'waiting'; readonly obstacle: string | undefined; readonly isOff: boolean }
  | { readonly kind: 'starting' }
  | RunningState
  | { readonly kind: 'failed'; readonly error: string }
  /** The section has `enable: false`. */
  | { readonly kind: 'off' }
  | { readonly kind: 'removed' }

/**
 * The availability of a plugin in this state to plugins that require it: available, perhaps later, not available after a
 * failure, or not available as it is switched off.
 */
export function availabilityIn(state: EntryState): StartNode['state'] {
  switch (state.kind) {
    case 'running':
      return 'up'
    case 'failed':
    case 'removed':
      return 'down'
    case 'off':
      return 'off'
    case 'loading':
    case 'starting':
      return 'pending'
    case 'loaded':
      return state.obstacle === undefined ? 'pending' : 'down'
    case 'waiting':
      if (state.isOff) return 'off'
      return state.obstacle === undefined ? 'pending' : 'down'
  }
}

/** The reason why a plugin in this state does not run; undefined when it runs, or soon may. */
export function disableReasonIn(state: EntryState): string | undefined {
  switch (state.kind) {
    case 'failed':
      return state.error
    case 'off':
      return 'switched off in the config'
    case 'loaded':
    case 'waiting':
      return state.obstacle
    case 'loading':
    case 'starting':
    case 'running':
    case 'removed':
      return undefined
  }
}
