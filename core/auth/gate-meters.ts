import { LATENCY_BUCKETS, StreamDenied, type Counter, type Histogram, type MetricFamily } from 'sluice/sdk'
import { hiddenMetrics, type OwnedMetrics } from 'sluice/sdk/host'

type Outcome = 'passed' | 'denied' | 'failed'

/** A request to a control server, and its outcome. */
export type Delivered = {
  readonly event: 'opening' | 'closing'
  /** `told` is a closing that was delivered; `failed` means that no answer came that can be understood. */
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'told'
}

/** Counts the verdicts of the gates, and measures their time. */
export class GateMeters {
  readonly #results: MetricFamily<Counter, 'gate' | 'outcome'>
  readonly #seconds: MetricFamily<Histogram, 'gate'>
  readonly #deliveries: MetricFamily<Counter, 'event' | 'outcome'>
  readonly #deliverySeconds: MetricFamily<Histogram, 'event'>

  constructor(metrics: OwnedMetrics = hiddenMetrics()) {
    const buckets = LATENCY_BUCKETS
    this.#results = metrics.counter({
      name: 'sluice_gate_results_total',
      help: 'What the gates have said of sessions from outside',
      labels: ['gate', 'outcome'],
    })
    this.#seconds = metrics.histogram({
      name: 'sluice_gate_seconds',
      help: 'How long a gate took',
      labels: ['gate'],
      buckets,
    })
    this.#deliveries = metrics.counter({
      name: 'sluice_admission_deliveries_total',
      help: 'Requests of the admission webhook, and what came of them',
      labels: ['event', 'outcome'],
    })
    this.#deliverySeconds = metrics.histogram({
      name: 'sluice_admission_seconds',
      help: 'How long control servers took to answer, those that did not included',
      labels: ['event'],
      buckets,
    })
  }

  /** Runs the check of a gate, and counts its verdict. */
  async check<Result>(gate: string, check: () => Promise<Result>): Promise<Result> {
    const startMs = performance.now()
    let outcome: Outcome = 'passed'
    try {
      return await check()
    } catch (error) {
      outcome = error instanceof StreamDenied ? 'denied' : 'failed'
      throw error
    } finally {
      this.#seconds.with({ gate }).observe((performance.now() - startMs) / 1000)
      this.#results.with({ gate, outcome }).add()
    }
  }

  /** Counts a request to a control server. @param startMs its beginning, on the clock of `performance` */
  delivered({ event, outcome }: Delivered, startMs: number): void {
    this.#deliverySeconds.with({ event }).observe((performance.now() - startMs) / 1000)
    this.#deliveries.with({ event, outcome }).add()
  }
}
