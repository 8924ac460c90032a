/** The values of one combination of labels. */
export type MetricSeries = {
  /** As Prometheus writes them: `protocol="rtmp",action="play"`; empty without labels. */
  readonly labels: string
  /** The value; for a histogram the number of values that it counted. */
  readonly value: number
  /** The sum of the values of a histogram; undefined for others. */
  readonly sum?: number
}

/** All series of a metric. */
export type MetricFamily = {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly series: readonly MetricSeries[]
}

type Draft = { readonly name: string; help: string; type: string; readonly series: Map<string, MetricSeries> }

const SAMPLE = /^([a-z_:][\w:]*)(?:\{(.*)\})? ([+-]?(?:Inf|[\d.]+(?:e[+-]?\d+)?)|NaN)(?: |$)/iu

/** Reads the text format of Prometheus 0.0.4. Lines that are none of it are left out. */
export function parseMetrics(text: string): readonly MetricFamily[] {
  const families = new Map<string, Draft>()
  const familyOf = (name: string): Draft => {
    const known = families.get(name)
    if (known !== undefined) return known
    const family: Draft = { name, help: '', type: 'untyped', series: new Map() }
    families.set(name, family)
    return family
  }
  for (const line of text.split('\n')) {
    const [, kind, named = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/u.exec(line) ?? []
    if (kind === 'HELP') familyOf(named).help = rest.replaceAll('\\\\', '\\')
    else if (kind === 'TYPE') familyOf(named).type = rest
    else addSample(line, families, familyOf)
  }
  return [...families.values()].map(({ series, ...family }) => ({ ...family, series: [...series.values()] }))
}

function addSample(line: string, families: ReadonlyMap<string, Draft>, familyOf: (name: string) => Draft): void {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
  if (name === undefined) return
  const [, base = '', part] = /^(.*)_(bucket|sum|count)$/u.exec(name) ?? []
  const histogram = families.get(base)
  if (histogram?.type !== 'histogram') {
    familyOf(name).series.set(labels, { labels, value: numberOf(value) })
    return
  }
  if (part === 'bucket') return
  const known = histogram.series.get(labels) ?? { labels, value: 0, sum: 0 }
  const change = part === 'sum' ? { sum: numberOf(value) } : { value: numberOf(value) }
  histogram.series.set(labels, { ...known, ...change })
}

function numberOf(text = ''): number {
  return Number(text.replace('Inf', 'Infinity'))
}
