/** The values of a family's labels. */
export type MetricLabels<Label extends string> = Readonly<Record<Label, string>>

/** The arguments of a family's functions: none for a family without labels, else their values. */
export type LabelArguments<Label extends string> = [Label] extends [never] ? [] : [labels: MetricLabels<Label>]

/** The name of a family of metrics, and the labels of its series. */
export type MetricInit<Label extends string = never> = {
  /**
   * The name in lower-case words with underscores, the unit last: `retransmitted_bytes_total`, `round_trip_seconds`. That of
   * a counter ends with `_total`. The host puts `sluice_<plugin>_` before it.
   */
  readonly name: string
  /** The counted or measured quantity, in one line. */
  readonly help: string
  /** The names of the labels; at most 8. */
  readonly labels?: readonly Label[]
  /** The most series, 100 unless given and 10,000 at most. */
  readonly maxSeries?: number
}

/** One reading of a gauge. */
export type GaugeReading<Label extends string = never> = {
  readonly value: number
} & ([Label] extends [never] ? { readonly labels?: undefined } : { readonly labels: MetricLabels<Label> })

/** A family of gauges, which are set, or read at each scrape. */
export type GaugeInit<Label extends string = never> = MetricInit<Label> & {
  /** Returns the present values when the metrics are asked for; its errors are logged. It must be quick. */
  readonly read?: () => Iterable<GaugeReading<Label>>
}

/** A family of histograms. */
export type HistogramInit<Label extends string = never> = MetricInit<Label> & {
  /** The upper bounds of the buckets, ascending, at most 30; {@link LATENCY_BUCKETS} for times. */
  readonly buckets: readonly number[]
}

/** A count of events. */
export type Counter = {
  /** Adds 1, or a finite number from 0 on. */
  add(amount?: number): void
}

/** A value that goes up and down. */
export type Gauge = {
  set(value: number): void
  add(amount: number): void
}

/** The counts of values by their size. */
export type Histogram = {
  observe(value: number): void
}

/** A family of metrics: one series for each combination of label values. */
export interface MetricFamily<Series, Label extends string> {
  /**
   * Returns the series with these labels, and makes it the first time; keep it where it is used often. Past the family's
   * `maxSeries`, all further ones share one series with `other` as each of its labels.
   */
  with(...labels: LabelArguments<Label>): Series
  /** Forgets a series. */
  remove(...labels: LabelArguments<Label>): void
}

/**
 * The metrics of a plugin, as `/metrics` shows them to Prometheus. All generations of the plugin count in the same families,
 * so counters go on when it is replaced. A family is gone when the last generation that has declared it is.
 *
 * Label values must be few: never an address, an id or a path that clients choose.
 * @throws {TypeError} from each function, when a name or bucket is malformed, or the plugin has more than 100 families
 */
export interface MetricRegistry {
  counter<const Label extends string = never>(init: MetricInit<Label>): MetricFamily<Counter, Label>
  /** Declares gauges; a family with `read` gives the sum of the generations' readings. */
  gauge<const Label extends string = never>(init: GaugeInit<Label>): MetricFamily<Gauge, Label>
  histogram<const Label extends string = never>(init: HistogramInit<Label>): MetricFamily<Histogram, Label>
}

/** Bounds for times from a millisecond to half a minute, in seconds. */
export const LATENCY_BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
