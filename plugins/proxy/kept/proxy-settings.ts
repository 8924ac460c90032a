import type { PullRule, PushRule } from 'sluice/sdk'

/** What is kept of every proxy. */
export type ProxySettings = {
  readonly id: number
  readonly createdMs: number
  readonly updatedMs: number
  /** Of what the proxy belongs to, for clients that show a tree. */
  readonly parentId: number
  readonly name: string
  /** The plugin that does it. */
  readonly type: string
  readonly streamPath: string
  readonly isDisabled: boolean
  /** Begins when the server is there, not when somebody asks for it. */
  readonly beginsAlone: boolean
  readonly audio: boolean
  readonly description: string
}

/** A source that is fetched when it is there. */
export type PullProxySettings = ProxySettings & {
  readonly rule: PullRule
  readonly stopsOnIdle: boolean
  /** Where it is to be recorded; empty is nowhere. */
  readonly recordPath: string
  readonly recordFragmentMs: number
  readonly checkIntervalMs: number
}

/** A target that a stream is sent to when both are there. */
export type PushProxySettings = ProxySettings & { readonly rule: PushRule }

/** Between two looks at a server that is away. */
export const CHECK_INTERVAL_MS = 10_000
const MIN_CHECK_INTERVAL_MS = 1000
const MAX_CHECK_INTERVAL_MS = 3_600_000

/** An interval of checks as it is kept: the usual one for 0, else the nearest that there may be. */
export function checkIntervalOf(intervalMs: number): number {
  if (intervalMs === 0) return CHECK_INTERVAL_MS
  return Math.min(Math.max(intervalMs, MIN_CHECK_INTERVAL_MS), MAX_CHECK_INTERVAL_MS)
}
