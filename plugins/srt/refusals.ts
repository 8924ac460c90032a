import type { Logger } from 'pino'
import { LogLimit, sessionClient, type UdpPeer } from 'sluice/sdk'
import type { SrtMetrics } from './metrics.ts'

/** Programs try again every 10 ms: one line is logged at the first refusal, and one for each interval after it. */
const INTERVAL_MS = 10_000
/** The most addresses that are kept; all are forgotten when there are more. */
const MAX_ADDRESSES = 1024

/** The log lines and the counter of refused callers. */
export class Refusals {
  readonly #log: Logger
  readonly #metrics: Pick<SrtMetrics, 'refused'>
  readonly #limits = new Map<string, LogLimit>()

  constructor(log: Logger, metrics: Pick<SrtMetrics, 'refused'>) {
    this.#log = log
    this.#metrics = metrics
  }

  /** Counts a refusal. @param code the reject reason sent to the caller, one of `REJECT_REASON` */
  count(code: number): void {
    this.#metrics.refused(code)
  }

  /**
   * Logs a line about a caller, unless there was one lately for the same address and reason.
   * @param reason the text for people, which contains no secret
   */
  tell(peer: UdpPeer, message: string, reason: string, more: Readonly<Record<string, unknown>> = {}): void {
    const { ip, port } = sessionClient(peer)
    const key = `${ip} ${message} ${reason}`
    if (!this.#limits.has(key) && this.#limits.size >= MAX_ADDRESSES) this.#limits.clear()
    const limit = this.#limits.get(key) ?? new LogLimit(INTERVAL_MS)
    this.#limits.set(key, limit)
    const withheld = limit.pass()
    if (withheld === undefined) return
    this.#log.info({ ...more, ip, port, reason, ...(withheld > 0 && { withheld }) }, message)
  }
}
