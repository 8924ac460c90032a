import type { PluginContext } from '../plugin/context.ts'

/** The wait after a run that has failed, doubled each time that a run does not last. */
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 15_000
/** A run that has lasted this long begins a new row of failures. */
const LASTING_MS = 10_000

/** A run that ended by itself while one was wanted. */
export type RunFailure = {
  /** The error that it threw; undefined where it ended without. */
  readonly error: unknown
  /** The number of runs in a row that have failed, this one included; one that lasted ten seconds begins a new row. */
  readonly failures: number
  /** The time from now to the next run. */
  readonly retryMs: number
}

type SupervisorContext = Pick<PluginContext<unknown>, 'setTimeout' | 'signal'>

/** The runs of a {@link Supervisor}. */
export type SupervisorOptions = {
  /** Milliseconds since an epoch of its own; for tests. Default `performance.now`. */
  readonly now?: () => number
  /**
   * One run, until it is over or the signal aborts: the promise settles then, and the next run begins only after that. The
   * signal aborts, too, when the promise has settled, so that it ends the rest of a run.
   */
  readonly run: (signal: AbortSignal) => Promise<unknown>
  /**
   * Returns true when a run is wanted at present; called before each run and after. Where none is, the supervisor waits for
   * `begin`. Without it, one is wanted always.
   */
  readonly isWanted?: () => boolean
  /** Called when a run has failed. */
  readonly failed: (failure: RunFailure) => void
}

/**
 * Keeps a task running that may fail, such as a program: one run at a time, which is followed by another where it fails,
 * after half a second at first and 15 s at the most. It ends with the generation, as programs do.
 *
 * ```ts
 * const supervisor = new Supervisor(ctx, {
 *   async run(signal) {
 *     const program = await PipedProgram.begin(ctx.processes, { ...init, signal })
 *     program.feed(await ctx.streams.subscribe(session), FLV_FORMAT)
 *     await program.done
 *   },
 *   isWanted: () => ctx.streams.get(streamPath) !== undefined,
 *   failed: ({ error, retryMs }) => ctx.log.warn({ err: error, retryMs }, 'the encoder has failed'),
 * })
 * supervisor.begin()
 * ```
 */
export class Supervisor {
  readonly #ctx: SupervisorContext
  readonly #options: SupervisorOptions
  /** Aborts the signal of the present run. */
  #stop: AbortController | undefined
  #over = Promise.resolve()
  #failures = 0
  #isClosed = false
  #cancelRetry: () => void = () => {}

  constructor(ctx: SupervisorContext, options: SupervisorOptions) {
    this.#ctx = ctx
    this.#options = options
  }

  /** Begins a run, unless there is one, none is wanted, or it is closed. One that was to begin later begins now. */
  begin(): void {
    const { isWanted } = this.#options
    this.#cancelRetry()
    if (this.#isOver || this.#stop !== undefined || isWanted?.() === false) return
    this.#stop = new AbortController()
    this.#over = this.#supervise(this.#stop)
  }

  /** Replaces the present run by another, where there is one; that is no failure. */
  renew(): void {
    this.#stop?.abort()
  }

  /** Ends the present run, and begins no further one. Resolves when it is over, and never rejects. Idempotent. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    this.#stop?.abort()
    return this.#over
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#ctx.signal.aborted
  }

  async #supervise(stop: AbortController): Promise<void> {
    const { run, isWanted, failed, now = () => performance.now() } = this.#options
    const startMs = now()
    let error: unknown
    try {
      await run(stop.signal)
    } catch (thrown) {
      error = thrown
    }
    const isFailure = !stop.signal.aborted && isWanted?.() !== false
    stop.abort()
    this.#stop = undefined
    if (this.#isOver) return
    if (!isFailure) return this.begin()
    this.#failures = now() - startMs < LASTING_MS ? this.#failures + 1 : 1
    const retryMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1))
    this.#cancelRetry = this.#ctx.setTimeout(() => this.begin(), retryMs)
    failed({ error, failures: this.#failures, retryMs })
  }
}
