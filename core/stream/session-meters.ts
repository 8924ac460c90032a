import type { CloseCode, Counter, Gauge, MetricFamily, SessionAction } from 'sluice/sdk'
import { hiddenMetrics, type OwnedMetrics } from 'sluice/sdk/host'
import { Throughput } from './throughput.ts'

/** The actions of sessions, as metrics name them. */
export type MeteredAction = SessionAction | 'talk'

/** The most series by reason: every protocol with every action and reason. */
const MAX_REASONS = 1000

type BySession = 'protocol' | 'action'

/** Counts the sessions of all protocols, and their bytes and units. */
export class SessionMeters {
  readonly throughput = new Throughput()
  readonly #present: MetricFamily<Gauge, BySession>
  readonly #begun: MetricFamily<Counter, BySession>
  readonly #ended: MetricFamily<Counter, BySession | 'reason'>
  readonly #refused: MetricFamily<Counter, BySession | 'reason'>
  readonly #received: MetricFamily<Counter, 'protocol'>
  readonly #sent: MetricFamily<Counter, 'protocol'>
  readonly #dropped: MetricFamily<Counter, 'protocol'>
  readonly #skips: MetricFamily<Counter, 'protocol'>
  readonly #meters = new Map<string, SessionMeter>()

  constructor(metrics: OwnedMetrics = hiddenMetrics()) {
    const labels = ['protocol', 'action'] as const
    const byReason = { labels: [...labels, 'reason'] as const, maxSeries: MAX_REASONS }
    const byProtocol = { labels: ['protocol'] as const }
    this.#present = metrics.gauge({ name: 'sluice_sessions', help: 'Sessions that have begun and not ended', labels })
    this.#begun = metrics.counter({ name: 'sluice_sessions_begun_total', help: 'Sessions that began', labels })
    this.#ended = metrics.counter({
      name: 'sluice_sessions_ended_total',
      help: 'Sessions that ended, by the code of their close reason',
      ...byReason,
    })
    this.#refused = metrics.counter({
      name: 'sluice_sessions_refused_total',
      help: 'Sessions that did not begin, by the code of the error',
      ...byReason,
    })
    this.#received = metrics.counter({
      name: 'sluice_received_bytes_total',
      help: 'Media that publishers have written',
      ...byProtocol,
    })
    this.#sent = metrics.counter({
      name: 'sluice_sent_bytes_total',
      help: 'Bytes that subscribers were sent',
      ...byProtocol,
    })
    this.#dropped = metrics.counter({
      name: 'sluice_dropped_units_total',
      help: 'Units that subscribers were not sent, as they were behind',
      ...byProtocol,
    })
    this.#skips = metrics.counter({
      name: 'sluice_subscriber_skips_total',
      help: 'Times that subscribers fell behind, and skipped to a keyframe',
      ...byProtocol,
    })
  }

  /** The meter of the sessions of one protocol and action. Frequent callers keep the meter. */
  of(protocol: string, action: MeteredAction): SessionMeter {
    const key = `${protocol} ${action}`
    const known = this.#meters.get(key)
    if (known !== undefined) return known
    const meter = this.#create({ protocol, action })
    this.#meters.set(key, meter)
    return meter
  }

  #create(labels: { readonly protocol: string; readonly action: MeteredAction }): SessionMeter {
    const { throughput } = this
    const received = this.#received.with(labels)
    const sent = this.#sent.with(labels)
    return {
      present: this.#present.with(labels),
      begun: this.#begun.with(labels),
      received: {
        add(bytes = 1) {
          received.add(bytes)
          throughput.receivedBytes += bytes
        },
      },
      sent: {
        add(bytes = 1) {
          sent.add(bytes)
          throughput.sentBytes += bytes
        },
      },
      dropped: this.#dropped.with(labels),
      skips: this.#skips.with(labels),
      ended: (reason) => this.#ended.with({ ...labels, reason }).add(),
      refused: (code) => this.#refused.with({ ...labels, reason: code }).add(),
    }
  }
}

/** Counts the sessions of one protocol and action. */
export type SessionMeter = Readonly<Record<'begun' | 'received' | 'sent' | 'dropped' | 'skips', Counter>> & {
  readonly present: Gauge
  ended(code: CloseCode): void
  /** @param code the code of the error */
  refused(code: string): void
}
