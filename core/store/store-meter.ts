import { LATENCY_BUCKETS, type Counter, type Histogram, type MetricFamily } from 'sluice/sdk'
import { hiddenMetrics, type OwnedMetrics } from 'sluice/sdk/host'
import type { Failure } from './backend.ts'

/** Counts the queries of all owners, and those that fail. */
export class StoreMeter {
  readonly #seconds: MetricFamily<Histogram, 'outcome'>
  readonly #failures: MetricFamily<Counter, 'reason'>

  /** @param isUp returns true while the database is open; it is not before the first query */
  constructor(isUp: () => boolean, metrics: OwnedMetrics = hiddenMetrics()) {
    this.#seconds = metrics.histogram({
      name: 'sluice_store_query_seconds',
      help: 'How long queries of the database took, the time that they waited for a connection left out',
      labels: ['outcome'],
      buckets: LATENCY_BUCKETS,
    })
    this.#failures = metrics.counter({
      name: 'sluice_store_failures_total',
      help: 'What the database has failed in: away, refused, not-unique, mistake',
      labels: ['reason'],
    })
    metrics.gauge({
      name: 'sluice_store_up',
      help: 'Whether the database is open: 0 while it is away, and before it is needed',
      read: () => [{ value: isUp() ? 1 : 0 }],
    })
  }

  /** Counts a query. @param startMs the time at which it was sent, on the clock of `performance` */
  queried(startMs: number, succeeded: boolean): void {
    const outcome = succeeded ? 'done' : 'failed'
    this.#seconds.with({ outcome }).observe((performance.now() - startMs) / 1000)
  }

  failed(reason: Failure['kind']): void {
    this.#failures.with({ reason }).add()
  }
}
