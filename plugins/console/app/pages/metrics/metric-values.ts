import type { Format } from 'sluice/sdk/console'
import type { MetricFamily } from './metrics-text.ts'

/** Writes a value of a metric with its unit, which its name ends in. */
export function valueText(name: string, value: number, format: Format): string {
  if (name.endsWith('_time_seconds')) return format.time(value * 1000)
  const unit = /_(bytes|seconds)(?:_total)?$/u.exec(name)?.[1]
  if (unit === 'bytes') return format.bytes(value)
  if (unit !== 'seconds') return format.number(value, 3)
  return value < 1 ? `${format.number(value * 1000, 2)} ms` : `${format.number(value, 2)} s`
}

/** Writes a value of the graph of a metric: counters are drawn by their rate. */
export function graphText({ name, type }: Pick<MetricFamily, 'name' | 'type'>, value: number, format: Format): string {
  const text = valueText(name, value, format)
  return type === 'counter' ? `${text}/s` : text
}

/** The values of all series of a metric in one: the sum, or the mean of a histogram. */
export function totalText({ name, type, series }: MetricFamily, format: Format): string {
  const total = series.reduce((sum, { value }) => sum + value, 0)
  if (type !== 'histogram') return series.length === 0 ? '–' : valueText(name, total, format)
  const sum = series.reduce((all, one) => all + (one.sum ?? 0), 0)
  return total === 0 ? '–' : `⌀ ${valueText(name, sum / total, format)}`
}
