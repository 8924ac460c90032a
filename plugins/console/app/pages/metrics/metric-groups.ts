import type { MetricFamily } from './metrics-text.ts'

export type MetricGroup = { readonly name: string; readonly families: readonly MetricFamily[] }

/** The families by the beginning of their names, `sluice_http`; those that are alone with theirs are `sluice`. */
export function groupsOf(families: readonly MetricFamily[]): readonly MetricGroup[] {
  const byPrefix = Map.groupBy(families, ({ name }) => prefixOf(name, 2))
  const groups = Map.groupBy(families, ({ name }) => {
    const prefix = prefixOf(name, 2)
    return (byPrefix.get(prefix)?.length ?? 0) > 1 ? prefix : prefixOf(name, 1)
  })
  return [...groups].map(([name, members]) => ({ name, families: members })).toSorted(byName)
}

/** The families that have a text in their name, their help or the labels of a series. */
export function found(families: readonly MetricFamily[], search: string): readonly MetricFamily[] {
  const wanted = search.trim().toLowerCase()
  const has = (text: string) => text.toLowerCase().includes(wanted)
  return families.filter(({ name, help, series }) => has(name) || has(help) || series.some(({ labels }) => has(labels)))
}

function prefixOf(name: string, words: number): string {
  return name.split('_').slice(0, words).join('_')
}

function byName(one: MetricGroup, other: MetricGroup): number {
  return one.name < other.name ? -1 : 1
}
