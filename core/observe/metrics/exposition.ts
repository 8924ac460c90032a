import { HistogramValue, type MetricSnapshot, type MetricValue } from 'sluice/sdk/host'

/** The formats that Prometheus reads. */
export type MetricsFormat = 'text' | 'openmetrics'

export const CONTENT_TYPES: Readonly<Record<MetricsFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** The longest `Accept` that is parsed. */
const MAX_ACCEPT_LENGTH = 1024
const OPENMETRICS_VERSIONS: ReadonlySet<string> = new Set(['', '1.0.0', '0.0.1'])

/** The format that a client prefers by its `Accept` (RFC 9110, 12.5.1); text where it has no preference. */
export function acceptedFormat(accept = ''): MetricsFormat {
  const best = { text: 0, openmetrics: 0 }
  for (const range of accept.slice(0, MAX_ACCEPT_LENGTH).toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const valueOf = (name: string) => parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1)
    const quality = Number(valueOf('q') ?? 1)
    const isOpen = type === 'application/openmetrics-text' && OPENMETRICS_VERSIONS.has(valueOf('version') ?? '')
    if (isOpen) best.openmetrics = Math.max(best.openmetrics, quality)
    else if (['text/plain', 'text/*', '*/*'].includes(type)) best.text = Math.max(best.text, quality)
  }
  return best.openmetrics > best.text ? 'openmetrics' : 'text'
}

/** Writes families in the text format of Prometheus 0.0.4, or in OpenMetrics 1.0. */
export function writeMetrics(families: readonly MetricSnapshot[], format: MetricsFormat): string {
  const parts = families.map((family) => writeFamily(family, format))
  return parts.join('') + (format === 'openmetrics' ? '# EOF\n' : '')
}

function writeFamily({ type, name, help, series }: MetricSnapshot, format: MetricsFormat): string {
  // In OpenMetrics, the family of a counter has no suffix, but its samples have.
  const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/u, '') : name
  const lines = [`# HELP ${family} ${escapeHelp(help, format)}`, `# TYPE ${family} ${type}`]
  for (const { labels, value } of series) {
    if (value instanceof HistogramValue) writeHistogram(lines, name, labels, value)
    else lines.push(`${name}${braced(labels)} ${numberText(value)}`)
  }
  return `${lines.join('\n')}\n`
}

function writeHistogram(lines: string[], name: string, labels: string, { bounds, counts, sum }: HistogramValue): void {
  const before = labels === '' ? '' : `${labels},`
  let total = 0
  counts.forEach((count, index) => {
    total += count
    lines.push(`${name}_bucket{${before}le="${numberText(bounds[index] ?? Infinity)}"} ${total}`)
  })
  lines.push(`${name}_sum${braced(labels)} ${numberText(sum)}`, `${name}_count${braced(labels)} ${total}`)
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

function numberText(value: Extract<MetricValue, number>): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}

function escapeHelp(help: string, format: MetricsFormat): string {
  const escaped = help.replaceAll('\\', '\\\\')
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped
}
