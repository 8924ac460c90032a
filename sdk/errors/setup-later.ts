import { MAX_DURATION_MS } from '../config/duration.ts'
import { SluiceError } from './sluice-error.ts'

/**
 * A plugin can't start at present, for a reason that passes by itself, such as a device that is still starting
 * (`SETUP_LATER`, 503). The host logs it once and calls `setup` again, until it succeeds; a generation that runs goes on
 * meanwhile.
 *
 * ```ts
 * async setup(ctx) {
 *   const { status } = await fetch(ctx.config.device)
 *   if (status === 503) throw new SetupLater('the device is still starting', { afterMs: 5000 })
 * }
 * ```
 */
export class SetupLater extends SluiceError {
  /** The time until the next call of `setup`, in milliseconds; undefined leaves it to the host. */
  readonly afterMs: number | undefined

  /**
   * @param reason a clause for the log and for operators, with nothing secret
   * @param options `afterMs` is a second at least; by default it is that at first, twice as long each time, and 30 s at the most
   * @throws {RangeError} when `afterMs` is negative, or more than `MAX_DURATION_MS`
   */
  constructor(reason: string, { afterMs, ...options }: ErrorOptions & { readonly afterMs?: number } = {}) {
    super('SETUP_LATER', 503, reason, options)
    if (afterMs !== undefined && !(afterMs >= 0 && afterMs <= MAX_DURATION_MS)) {
      throw new RangeError(`afterMs is ${afterMs}, and not from 0 to ${MAX_DURATION_MS}`)
    }
    this.afterMs = afterMs
  }
}
