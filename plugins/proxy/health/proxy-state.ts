/** Values of a proxy's `status` (config.md 7); running is pulling or pushing. */
export const OFFLINE = 0
export const ONLINE = 1
export const RUNNING = 2
export const DISABLED = 3

/** What a proxy is at present, which no database keeps. */
export type ProxyState = {
  readonly status: typeof OFFLINE | typeof ONLINE | typeof RUNNING | typeof DISABLED
  /** Whole milliseconds; 0 is unknown. */
  readonly rttMs: number
}
