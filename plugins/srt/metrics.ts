import { LATENCY_BUCKETS, type Counter, type MetricFamily, type MetricRegistry, type PluginContext } from 'sluice/sdk'
import { REJECT_REASON } from './wire/handshake/reject-reason.ts'
import type { SrtStatistics } from './wire/statistics.ts'

const MILLISECONDS = 1000
const MEASURE_INTERVAL_MS = 2000

type Direction = 'publish' | 'play'
type Measured = { readonly direction: Direction; readonly read: () => SrtStatistics; counted: readonly number[] }

/** The counters of each connection: name, help text, and the field of libsrt's statistics. */
const COUNTED = [
  ['received_packets_total', 'Packets that came, without those sent again', 'pktRecvUniqueTotal'],
  ['sent_packets_total', 'Packets that went, without those sent again', 'pktSentUniqueTotal'],
  ['receive_lost_packets_total', 'Packets that were missing when later ones came', 'pktRcvLossTotal'],
  ['send_lost_packets_total', 'Packets that peers said they were missing', 'pktSndLossTotal'],
  ['retransmitted_packets_total', 'Packets that were sent again', 'pktRetransTotal'],
  ['receive_dropped_packets_total', 'Packets that did not come in time', 'pktRcvDropTotal'],
  ['send_dropped_packets_total', 'Packets that were too late to be sent', 'pktSndDropTotal'],
  ['undecrypted_packets_total', 'Packets that came encrypted by an unknown key', 'pktRcvUndecryptTotal'],
] as const satisfies readonly (readonly [name: string, help: string, of: keyof SrtStatistics])[]

const REASON_NAMES = new Map<number, string>(Object.entries(REJECT_REASON).map(([name, reason]) => [reason, name]))

/** The metrics of the connections on `/metrics`. */
export class SrtMetrics {
  readonly #counters: readonly MetricFamily<Counter, 'direction'>[]
  readonly #roundTrip
  readonly #refused: MetricFamily<Counter, 'reason'>
  readonly #measured = new Set<Measured>()

  constructor(ctx: Pick<PluginContext<unknown>, 'metrics' | 'setInterval'>) {
    const { metrics } = ctx
    this.#counters = COUNTED.map(([name, help]) => metrics.counter({ name, help, labels: ['direction'] }))
    this.#roundTrip = roundTripOf(metrics)
    this.#refused = metrics.counter({
      name: 'refused_handshakes_total',
      help: 'Callers that were refused, by the reason that they were told',
      labels: ['reason'],
    })
    metrics.gauge({
      name: 'connections',
      help: 'Connections that are open, those of pulls and pushes included',
      labels: ['direction'],
      read: () =>
        (['publish', 'play'] as const).map((direction) => ({ labels: { direction }, value: this.#count(direction) })),
    })
    ctx.setInterval(() => this.#measureAll(), MEASURE_INTERVAL_MS)
  }

  refused(reason: number): void {
    this.#refused.with({ reason: REASON_NAMES.get(reason) ?? 'other' }).add()
  }

  /**
   * Measures a connection from now on.
   * @returns a function that measures it for the last time
   */
  follow(direction: Direction, read: () => SrtStatistics): () => void {
    const measured: Measured = { direction, read, counted: COUNTED.map(() => 0) }
    this.#measured.add(measured)
    return () => {
      if (this.#measured.delete(measured)) this.#measure(measured)
    }
  }

  #count(direction: Direction): number {
    return [...this.#measured].filter((measured) => measured.direction === direction).length
  }

  #measureAll(): void {
    for (const measured of this.#measured) {
      const { msRTT } = this.#measure(measured)
      this.#roundTrip.with({ direction: measured.direction }).observe(msRTT / MILLISECONDS)
    }
  }

  #measure(measured: Measured): SrtStatistics {
    const { direction, read, counted } = measured
    const statistics = read()
    measured.counted = COUNTED.map(([, , name], place) => {
      const total = statistics[name]
      this.#counters[place]?.with({ direction }).add(Math.max(0, total - (counted[place] ?? 0)))
      return total
    })
    return statistics
  }
}

function roundTripOf(metrics: MetricRegistry) {
  return metrics.histogram({
    name: 'round_trip_seconds',
    help: 'Round-trip times of open connections, looked at each 2 s',
    labels: ['direction'],
    buckets: LATENCY_BUCKETS,
  })
}
