import type { PullRule, PushRule } from 'sluice/sdk'

/** The stored settings of every proxy. */
export type ProxySettings = {
  readonly id: number
  readonly createdMs: number
  readonly updatedMs: number
  /** The id of the proxy's parent, for clients that show a tree. */
  readonly parentId: number
  readonly name: string
  /** The name of the plugin that pulls or pushes. */
  readonly type: string
  readonly streamPath: string
  readonly isDisabled: boolean
  /** True when it begins as soon as the server is there; false when a subscriber or a stream has to come first. */
  readonly beginsAlone: boolean
  readonly audio: boolean
  readonly description: string
}

/** A source that is pulled when it is there. */
export type PullProxySettings = ProxySettings & {
  readonly rule: PullRule
  readonly stopsOnIdle: boolean
  /** The folder of its recordings; empty for none. */
  readonly recordPath: string
  readonly recordFragmentMs: number
  readonly checkIntervalMs: number
}

/** A target that gets a stream when both are there. */
export type PushProxySettings = ProxySettings & { readonly rule: PushRule }

/** The default time between two checks of a server that is away. */
export const CHECK_INTERVAL_MS = 10_000
const MIN_CHECK_INTERVAL_MS = 1000
const MAX_CHECK_INTERVAL_MS = 3_600_000

/** Returns the interval of checks that is stored: the default for 0, else the nearest one within the limits. */
export function checkIntervalOf(intervalMs: number): number {
  if (intervalMs === 0) return CHECK_INTERVAL_MS
  return Math.min(Math.max(intervalMs, MIN_CHECK_INTERVAL_MS), MAX_CHECK_INTERVAL_MS)
}
