import { LATENCY_BUCKETS, type Counter, type Histogram, type MetricFamily } from 'sluice/sdk'
import { hiddenMetrics, type OwnedMetrics } from 'sluice/sdk/host'

/** Counts the answers of one part of the server. */
export type AnswerMeter = {
  /**
   * Counts an answer.
   * @param statusCode undefined where the client left before there was an answer
   * @param seconds the time of the answer; undefined where it has no end of its own, as that of a live stream
   */
  answered(statusCode: number | undefined, seconds: number | undefined): void
}

/** Counts the answers over HTTP, by the part that answers: a plugin, the administration, the server. Paths are no labels. */
export class HttpMeters {
  readonly #answers: MetricFamily<Counter, 'group' | 'status'>
  readonly #seconds: MetricFamily<Histogram, 'group'>

  constructor(metrics: OwnedMetrics = hiddenMetrics()) {
    this.#answers = metrics.counter({
      name: 'sluice_http_requests_total',
      help: 'HTTP requests and WebSockets, by who answers and the class of the status; left is a client that did not wait',
      labels: ['group', 'status'],
      maxSeries: 400,
    })
    this.#seconds = metrics.histogram({
      name: 'sluice_http_request_seconds',
      help: 'How long answers took, those left out that have no end of their own',
      labels: ['group'],
      buckets: LATENCY_BUCKETS,
    })
  }

  of(group: string): AnswerMeter {
    return {
      answered: (statusCode, seconds) => {
        const status = statusCode === undefined ? 'left' : `${Math.trunc(statusCode / 100)}xx`
        this.#answers.with({ group, status }).add()
        if (seconds !== undefined) this.#seconds.with({ group }).observe(seconds)
      },
    }
  }
}
