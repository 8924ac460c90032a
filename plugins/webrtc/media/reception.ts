import { shortNtpTime, type ReportBlock } from 'sluice/sdk/media'

/** The number of sender reports for which the round trip can be measured: those of the last seconds. */
const REMEMBERED_REPORTS = 4
const SHORT_NTP_TICKS_PER_MS = 65.536
const FRACTION_RANGE = 256
/** The longest plausible round trip. */
const MAX_RTT_MS = 10_000

/** The content of a receiver's reports on one RTP stream (RFC 3550 6.4.1). */
export class Reception {
  readonly #sentNtp = new Float64Array(REMEMBERED_REPORTS).fill(-1)
  readonly #sentMs = new Float64Array(REMEMBERED_REPORTS)
  #next = 0
  #rttMs: number | undefined
  #lossFraction = 0
  #lostPackets = 0
  #jitterTicks = 0

  /** The round trip in milliseconds; undefined until the first report that allows to measure it. */
  get rttMs(): number | undefined {
    return this.#rttMs
  }

  /** The share of packets that were lost since the report before; 0–1. */
  get lossFraction(): number {
    return this.#lossFraction
  }

  get lostPackets(): number {
    return this.#lostPackets
  }

  /** The jitter in ticks of the clock rate. */
  get jitterTicks(): number {
    return this.#jitterTicks
  }

  /** Notes a sender report with the time `ntpMs` that leaves now. */
  reportSent(ntpMs: number, nowMs: number): void {
    this.#sentNtp[this.#next] = shortNtpTime(ntpMs)
    this.#sentMs[this.#next] = nowMs
    this.#next = (this.#next + 1) % REMEMBERED_REPORTS
  }

  take({ fractionLost, cumulativeLost, jitter, lastSenderReport, ...report }: ReportBlock, nowMs: number): void {
    this.#lossFraction = fractionLost / FRACTION_RANGE
    this.#lostPackets = Math.max(0, cumulativeLost)
    this.#jitterTicks = jitter
    const index = this.#sentNtp.indexOf(lastSenderReport)
    if (index < 0) return
    const rttMs = nowMs - this.#sentMs[index]! - report.delaySinceLastSenderReport / SHORT_NTP_TICKS_PER_MS
    this.#rttMs = Math.min(Math.max(0, rttMs), MAX_RTT_MS)
  }
}
