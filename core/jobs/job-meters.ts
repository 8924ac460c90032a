import type { Counter, Gauge, MetricFamily, StreamTask } from 'sluice/sdk'
import { hiddenMetrics, type JobMeter, type OwnedMetrics } from 'sluice/sdk/host'

/** Counts pulls, pushes and recordings. */
export class JobMeters {
  readonly #jobs: MetricFamily<Gauge, 'kind' | 'protocol' | 'state'>
  readonly #tries: MetricFamily<Counter, 'kind' | 'protocol'>
  readonly #failures: MetricFamily<Counter, 'kind' | 'protocol'>

  constructor(metrics: OwnedMetrics = hiddenMetrics()) {
    const labels = ['kind', 'protocol'] as const
    this.#jobs = metrics.gauge({
      name: 'sluice_jobs',
      help: 'Pulls, pushes and recordings that have not ended, by what they do at present',
      labels: [...labels, 'state'],
      maxSeries: 400,
    })
    this.#tries = metrics.counter({
      name: 'sluice_job_tries_total',
      help: 'Times that pulls, pushes and recordings were tried, again after failures included',
      labels,
    })
    this.#failures = metrics.counter({
      name: 'sluice_job_failures_total',
      help: 'Times that pulls, pushes and recordings failed',
      labels,
    })
  }

  of(kind: StreamTask['kind'], protocol: string): JobMeter {
    const labels = { kind, protocol }
    return {
      tries: this.#tries.with(labels),
      failures: this.#failures.with(labels),
      in: (state) => this.#jobs.with({ ...labels, state }),
    }
  }
}
