import type { MetricFamily, MetricSeries } from './metrics-text.ts'

/** The most readings of a metric that are kept. */
const MAX_READINGS = 240
/** The most lines of a graph: the series with the greatest newest values. */
const MAX_LINES = 6

type Reading = { readonly timeS: number; readonly series: ReadonlyMap<string, MetricSeries> }

/** The lines of a graph. */
export type MetricLines = {
  readonly times: readonly number[]
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

/** The readings of one metric over time. */
export class MetricHistory {
  #readings: readonly Reading[] = []
  #type = 'gauge'

  /** Adds a reading that is newer than those before. */
  add({ type, series }: MetricFamily, timeS: number): void {
    const newest = this.#readings.at(-1)
    if (newest !== undefined && timeS <= newest.timeS) return
    this.#type = type
    const reading = { timeS, series: new Map(series.map((one) => [one.labels, one])) }
    this.#readings = [...this.#readings, reading].slice(-MAX_READINGS)
  }

  /** Gauges as they were; counters a second; histograms by the mean of the values between two readings. */
  lines(): MetricLines {
    const [, ...later] = this.#readings
    const readings = this.#type === 'gauge' ? this.#readings : later
    const lines = [...(this.#readings.at(-1)?.series.keys() ?? [])].map((labels) => ({
      name: labels,
      values: readings.map((reading, index) => this.#valueAt(labels, reading, this.#readings[index])),
    }))
    const greatestFirst = lines.toSorted((one, other) => (other.values.at(-1) ?? 0) - (one.values.at(-1) ?? 0))
    return { times: readings.map(({ timeS }) => timeS), lines: greatestFirst.slice(0, MAX_LINES) }
  }

  #valueAt(labels: string, reading: Reading, before: Reading | undefined): number | null {
    const now = reading.series.get(labels)
    if (now === undefined) return null
    if (this.#type === 'gauge') return now.value
    const then = before?.series.get(labels)
    if (then === undefined || before === undefined) return null
    const count = now.value - then.value
    // The server has begun anew.
    if (count < 0) return null
    if (this.#type !== 'histogram') return count / (reading.timeS - before.timeS)
    return count === 0 ? null : ((now.sum ?? 0) - (then.sum ?? 0)) / count
  }
}
