/** The least difference from the expected wall clock by which the clock counts as set. */
const MIN_STEP_MS = 500
/** The longest reading of both clocks that is used; during a longer one, the process was suspended. */
const MAX_LOOK_MS = 100

/** The clocks of the system. */
export type SystemClocks = {
  /** Milliseconds since the Unix epoch, by the clock that operators and time servers set. */
  readonly wallMs: () => number
  /** Milliseconds since an arbitrary time, by a steady clock. */
  readonly uptimeMs: () => number
}

const SYSTEM_CLOCKS: SystemClocks = { wallMs: () => Date.now(), uptimeMs: () => performance.now() }

/**
 * The wall clock as a steady clock that jumps when it is set, by hand or by a time server, or when the machine has slept. All users of one
 * object see a jump at the same time.
 */
export class ServerClock {
  readonly #clocks: SystemClocks
  readonly #kept: { zeroMs: number | undefined }

  /** @param kept the state that the clocks of all generations share */
  constructor(clocks: SystemClocks = SYSTEM_CLOCKS, kept: { zeroMs: number | undefined } = { zeroMs: undefined }) {
    this.#clocks = clocks
    this.#kept = kept
    kept.zeroMs ??= Math.round(clocks.wallMs() - clocks.uptimeMs())
  }

  /** Milliseconds by a steady clock, however the wall clock is set. */
  get uptimeMs(): number {
    return this.#clocks.uptimeMs()
  }

  /** The date of uptime 0 by the present wall clock, in whole milliseconds since the Unix epoch. It changes when the clock is set. */
  get zeroMs(): number {
    const { wallMs, uptimeMs } = this.#clocks
    const beforeMs = uptimeMs()
    const zeroMs = Math.round(wallMs() - beforeMs)
    const isSure = uptimeMs() - beforeMs <= MAX_LOOK_MS
    const knownMs = this.#kept.zeroMs ?? zeroMs
    return (this.#kept.zeroMs = isSure && Math.abs(zeroMs - knownMs) >= MIN_STEP_MS ? zeroMs : knownMs)
  }
}
