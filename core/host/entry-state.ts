import type { PluginDefinition } from 'sluice/sdk'
import type { StartNode } from './start-order.ts'
import type { Generation } from './generation/generation.ts'

/** Code that is newer than what runs, and has not taken over. */
export type NewerCode = {
  readonly definition: PluginDefinition
  /** It was not even tried: what it requires is missing, or its section of the config is wrong. */
  readonly refused: boolean
}

export type RunningState = {
  readonly kind: 'running'
  readonly generation: Generation
  /** It has another config than the file asks for. */
  readonly stale: boolean
  readonly newer: NewerCode | undefined
  /** Why newer code or another config could not take over. */
  readonly error: string | undefined
}

/** What has become of a plugin that was found. */
export type EntryState =
  | { readonly kind: 'loading' }
  /** Its definition is known; `obstacle` says why it can't have its name, or its section of the config. */
  | { readonly kind: 'loaded'; readonly obstacle: string | undefined; readonly configError: Error | undefined }
  /** It has its name and its config; `obstacle` says what keeps it from starting, `isOff` that this is no failure. */
  | { readonly kind: 'waiting'; readonly obstacle: string | undefined; readonly isOff: boolean }
  | { readonly kind: 'starting' }
  | RunningState
  | { readonly kind: 'failed'; readonly error: string }
  /** Its section says `enable: false`. */
  | { readonly kind: 'off' }
  | { readonly kind: 'removed' }

/** Tells whether others can count on a plugin in this state: now, perhaps later, or not as things are or as the config wants it. */
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

/** Why a plugin in this state does not run; undefined when it does, or soon may. */
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
