import type { Logger } from 'pino'
import type { MetricRegistry } from '../plugin/metrics.ts'
import { HistogramValue } from '../host/metrics/metric-kinds.ts'
import { metricPrefix } from '../host/metrics/metric-shape.ts'
import { MetricTable } from '../host/metrics/metric-table.ts'

/** The metrics of a plugin without a host. */
export class FakeMetrics {
  readonly registry: MetricRegistry
  readonly #prefix: string
  readonly #owner = {}
  readonly #table: MetricTable

  constructor(plugin: string, log: Logger) {
    this.#prefix = metricPrefix(plugin)
    this.#table = new MetricTable({ onError: (metric, err) => log.error({ err, metric }, 'a metric was not read') })
    this.registry = this.#table.registryFor(this.#owner, this.#prefix)
    this.#table.activate(this.#owner)
  }

  /**
   * Returns the value of a series, of a histogram the number of values; undefined where there is no such series.
   * @param name as the plugin has given it
   * @param labels in the order in which the family names them
   */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    const family = this.#table.snapshot().find((other) => other.name === this.#prefix + name)
    const value = family?.series.find((series) => series.labels === text.join(','))?.value
    return value instanceof HistogramValue ? value.counts.reduce((sum, count) => sum + count, 0) : value
  }

  dispose(): void {
    this.#table.removeOwner(this.#owner)
  }
}
