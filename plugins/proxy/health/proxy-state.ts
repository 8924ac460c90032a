/** The values of a proxy's `status` (config.md 7); running is pulling or pushing. */
export const OFFLINE = 0
export const ONLINE = 1
export const RUNNING = 2
export const DISABLED = 3

/** The present state of a proxy, which is not stored. */
export type ProxyState = {
  readonly status: typeof OFFLINE | typeof ONLINE | typeof RUNNING | typeof DISABLED
  /** The time that opening the latest connection took, in whole milliseconds; 0 when unknown. */
  readonly rttMs: number
  /** The reason why it is offline, or why the latest pull or push failed; empty when nothing is known to be wrong. */
  readonly error: string
}
