/** One metric with its values, as the text format of Prometheus has them. */
export type MetricFamily = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly samples: readonly MetricSample[]
}

export type MetricSample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

/** The exposition text (Prometheus text format 0.0.4). */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families.map(formatFamily).join('')
}

function formatFamily({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
