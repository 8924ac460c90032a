import type { AccessUnit } from 'sluice/sdk'
import { serializeRtpGoodbye, WallClock } from 'sluice/sdk/media'
import type { PeerTransport } from '../transport/peer-transport.ts'
import type { Outlet } from './outlet.ts'

const REPORT_INTERVAL_MS = 1000

export type SenderReportsInit = {
  readonly outlets: readonly Outlet[]
  readonly transport: Pick<PeerTransport, 'sendRtcp'>
  /** The name of this end (RFC 7022). */
  readonly cname: string
}

/** Tells a viewer which wall clock time belongs to its media: each second, and as soon as a medium begins. */
export class SenderReports {
  readonly #init: SenderReportsInit
  readonly #wallClock = new WallClock()
  #lastMs = -Infinity
  /** The number of outlets that had begun at the last report. */
  #reported = 0

  constructor(init: SenderReportsInit) {
    this.#init = init
  }

  /**
   * Takes a unit that was just sent. Returns true when reports were sent.
   * @param timeMs its time in the stream, as it was sent
   */
  sent(unit: AccessUnit, timeMs: number, nowMs: number): boolean {
    const { cname, outlets, transport } = this.#init
    const elapsedMs = nowMs - this.#lastMs
    const isEarly = elapsedMs >= 0 && elapsedMs < REPORT_INTERVAL_MS
    if (isEarly && (this.#reported === outlets.length || this.#reported === this.#countBegun())) return false
    this.#lastMs = nowMs
    this.#reported = this.#countBegun()
    this.#wallClock.follow(unit, timeMs, nowMs)
    // All for one time, by which players put the media in step.
    const ntpMs = this.#wallClock.at(timeMs)
    for (const outlet of outlets) {
      if (outlet.hasBegun) transport.sendRtcp(outlet.report(ntpMs, timeMs, cname, nowMs))
    }
    return true
  }

  /** Says goodbye (RFC 3550 6.6). */
  end(): void {
    const { outlets, transport } = this.#init
    const [ssrc, ...others] = outlets.filter(({ hasBegun }) => hasBegun).map(({ sender }) => sender.ssrc)
    if (ssrc !== undefined) transport.sendRtcp(serializeRtpGoodbye(ssrc, ...others))
  }

  #countBegun(): number {
    let count = 0
    for (const { hasBegun } of this.#init.outlets) if (hasBegun) count += 1
    return count
  }
}
