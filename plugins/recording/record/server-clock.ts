/** The wall clock may be so far from where it is taken to be before it counts as set. */
const MIN_STEP_MS = 500
/** A look at both clocks that takes longer says nothing: the process did not run in between. */
const MAX_LOOK_MS = 100

/** The clocks of the system. */
export type SystemClocks = {
  /** Milliseconds since the Unix epoch; people and time servers set it. */
  readonly wallMs: () => number
  /** Milliseconds since some time, which go on evenly. */
  readonly uptimeMs: () => number
}

const SYSTEM_CLOCKS: SystemClocks = { wallMs: () => Date.now(), uptimeMs: () => performance.now() }

/**
 * The wall clock, as one that goes on evenly until it is set: by hand, by a time server, or as the machine has slept. All who date by
 * one object agree when that was.
 */
export class ServerClock {
  readonly #clocks: SystemClocks
  readonly #kept: { zeroMs: number | undefined }

  /** @param kept what the clocks of all generations agree on */
  constructor(clocks: SystemClocks = SYSTEM_CLOCKS, kept: { zeroMs: number | undefined } = { zeroMs: undefined }) {
    this.#clocks = clocks
    this.#kept = kept
    kept.zeroMs ??= Math.round(clocks.wallMs() - clocks.uptimeMs())
  }

  /** Milliseconds that go on evenly, whatever is done to the wall clock. */
  get uptimeMs(): number {
    return this.#clocks.uptimeMs()
  }

  /** The date, in whole milliseconds since the Unix epoch, at which the uptime was 0 by the clock of now; another one when it was set. */
  get zeroMs(): number {
    const { wallMs, uptimeMs } = this.#clocks
    const beforeMs = uptimeMs()
    const zeroMs = Math.round(wallMs() - beforeMs)
    const isSure = uptimeMs() - beforeMs <= MAX_LOOK_MS
    const knownMs = this.#kept.zeroMs ?? zeroMs
    return (this.#kept.zeroMs = isSure && Math.abs(zeroMs - knownMs) >= MIN_STEP_MS ? zeroMs : knownMs)
  }
}
