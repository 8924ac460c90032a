import type { Logger } from 'pino'
import { LogLimit, sessionClient, type UdpPeer } from 'sluice/sdk'
import type { SrtMetrics } from './metrics.ts'

/** Programs try again each 10 ms: there is a line for the first time, and then for all of this time. */
const INTERVAL_MS = 10_000
/** Addresses that are known; all are forgotten when they are more. */
const MAX_ADDRESSES = 1024

/** What the log and the metrics say of callers that are refused. */
export class Refusals {
  readonly #log: Logger
  readonly #metrics: Pick<SrtMetrics, 'refused'>
  readonly #limits = new Map<string, LogLimit>()

  constructor(log: Logger, metrics: Pick<SrtMetrics, 'refused'>) {
    this.#log = log
    this.#metrics = metrics
  }

  /** Counts a refusal. @param code One of `REJECT_REASON`, which the caller is told. */
  count(code: number): void {
    this.#metrics.refused(code)
  }

  /**
   * Writes a line about a caller, unless there was one lately of the same address for the same reason.
   * @param reason For people; nothing secret.
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
