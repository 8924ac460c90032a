import { LogLimit } from 'sluice/sdk'
import type { Logger } from 'pino'
import { MetricTable, type OwnedMetrics } from 'sluice/sdk/host'

/** The shortest time between two log lines about families that can't be read. */
const LOG_INTERVAL_MS = 60_000

/** The families of metrics: the server's own, which each part of the server declares, and those of plugins. */
export class ServerMetrics {
  readonly table: MetricTable
  readonly own: OwnedMetrics

  constructor(log: Logger) {
    const limit = new LogLimit(LOG_INTERVAL_MS)
    const onError = (metric: string, err: unknown) => {
      const withheld = limit.pass()
      if (withheld !== undefined) log.error({ err, metric, withheld }, 'a metric was not read')
    }
    this.table = new MetricTable({ onError })
    this.own = this.table.registryFor(this, '')
    this.table.activate(this)
    this.own.observe({
      type: 'counter',
      name: 'sluice_metric_overflows_total',
      help: 'Uses of series that a metric has no room for, and that went into the one labelled other',
      labels: ['metric'],
      maxSeries: 1000,
      read: () => this.table.overflows().map(({ name, count }) => ({ labels: { metric: name }, value: count })),
    })
  }
}
