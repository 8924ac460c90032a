import type { Logger } from 'pino'
import { HistogramValue } from '../host/metrics/metric-kinds.ts'
import { metricPrefix } from '../host/metrics/metric-shape.ts'
import { MetricTable } from '../host/metrics/metric-table.ts'
import type { MetricRegistry } from '../plugin/metrics.ts'

/** The metrics of a plugin without a host. */
export class FakeMetrics {
  readonly #prefix: string
  readonly #former: readonly string[]
  readonly #table: MetricTable

  /** @param former the beginnings of names that the plugin gives whole; see `FormerNames` */
  constructor(plugin: string, log: Logger, former: readonly string[] = []) {
    this.#prefix = metricPrefix(plugin)
    this.#former = former
    this.#table = new MetricTable({ onError: (metric, err) => log.error({ err, metric }, 'a metric was not read') })
  }

  /**
   * Returns the value of a series, of a histogram the number of values; undefined where there is no such series.
   * @param name as the plugin has given it
   * @param labels in the order in which the family names them
   */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    const family = this.#table.snapshot().find((other) => other.name === this.#prefixOf(name) + name)
    const value = family?.series.find((series) => series.labels === text.join(','))?.value
    return value instanceof HistogramValue ? value.counts.reduce((sum, count) => sum + count, 0) : value
  }

  /**
   * The metrics as one generation has them.
   * @param assertLoaded throws when the generation has ended
   */
  lend(assertLoaded: () => void): { readonly registry: MetricRegistry; dispose(): void } {
    const owner = {}
    const registry = this.#table.registryFor(owner, this.#prefix)
    const former = this.#table.registryFor(owner, '')
    const open = ({ name }: { readonly name: string }) => {
      assertLoaded()
      return this.#prefixOf(name) === '' ? former : registry
    }
    this.#table.activate(owner)
    return {
      registry: {
        counter: (init) => open(init).counter(init),
        gauge: (init) => open(init).gauge(init),
        histogram: (init) => open(init).histogram(init),
      },
      dispose: () => this.#table.removeOwner(owner),
    }
  }

  #prefixOf(name: string): string {
    return this.#former.some((prefix) => name.startsWith(prefix)) ? '' : this.#prefix
  }
}
