import { median } from '../statistics.ts'
import type { Case, Measurement, ServerScenario, Values } from '../scenarios/scenario.ts'
import { formatNumber, formatTable } from './table.ts'

/** The medians of a case over its rounds. */
export type CaseSummary = Case & { readonly rounds: number; readonly medians: Values }

/** One server's median by another's. */
export type Ratio = {
  readonly server: string
  readonly peer: string
  readonly format: string
  readonly count: number
  readonly key: string
  readonly ratio: number
}

export function summarize(measurements: readonly Measurement[]): CaseSummary[] {
  const groups = Map.groupBy(measurements, ({ format, count, server }) => `${format} ${count} ${server}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { server, format, count } = first
    return { server, format, count, rounds: group.length, medians: mediansOf(group) }
  })
}

/** Each of this project's variants against each peer, in the same situation. */
export function ratiosOf(summaries: readonly CaseSummary[], keys: readonly string[]): Ratio[] {
  const isOurs = ({ server }: CaseSummary) => server.startsWith('sluice')
  return summaries
    .filter(isOurs)
    .flatMap((ours) =>
      summaries
        .filter((peer) => !isOurs(peer) && peer.format === ours.format && peer.count === ours.count)
        .flatMap((peer) => keys.map((key) => ratioOf(ours, peer, key))),
    )
}

export function formatSummaries({ columns }: ServerScenario, summaries: readonly CaseSummary[]): string {
  const shown = columns.filter(({ key }) => summaries.some(({ medians }) => medians[key] !== undefined))
  return formatTable(
    ['format', 'count', 'server', ...shown.map(({ title }) => title)],
    summaries
      .toSorted((a, b) => a.format.localeCompare(b.format) || a.count - b.count || b.server.localeCompare(a.server))
      .map(({ format, count, server, medians }) => [
        format,
        String(count),
        server,
        ...shown.map(({ key, digits }) => formatNumber(medians[key], digits)),
      ]),
  )
}

export function formatRatios({ columns }: ServerScenario, ratios: readonly Ratio[]): string {
  return formatTable(
    ['format', 'count', 'ratio', 'of', 'to', 'is'],
    ratios.map(({ format, count, key, server, peer, ratio }) => {
      const title = columns.find((column) => column.key === key)?.title ?? key
      return [format, String(count), title, server, peer, formatNumber(ratio, 2)]
    }),
  )
}

function mediansOf(group: readonly Measurement[]): Values {
  const keys = new Set(group.flatMap(({ values }) => Object.keys(values)))
  return Object.fromEntries(
    [...keys].map((key) => {
      const values = group.flatMap((measurement) => measurement.values[key] ?? [])
      return [key, values.length === 0 ? undefined : median(values)]
    }),
  )
}

function ratioOf(ours: CaseSummary, peer: CaseSummary, key: string): Ratio {
  const ratio = (ours.medians[key] ?? NaN) / (peer.medians[key] ?? NaN)
  return { server: ours.server, peer: peer.server, format: ours.format, count: ours.count, key, ratio }
}
