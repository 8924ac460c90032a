import type {
  Counter,
  Gauge,
  GaugeInit,
  Histogram,
  HistogramInit,
  LabelArguments,
  MetricFamily,
  MetricInit,
  MetricRegistry,
} from '../../plugin/metrics.ts'
import { CounterValue, GaugeValue, HistogramValue } from './metric-kinds.ts'
import { isSameShape, MAX_FAMILIES, shapeOf, type MetricShape } from './metric-shape.ts'
import { SeriesTable } from './series-table.ts'

/** The value of one series. */
export type MetricValue = number | HistogramValue

/** A family as it is at present. `labels` are as both formats have them: `name="value",…`. */
export type MetricSnapshot = Pick<MetricShape, 'type' | 'name' | 'help'> & {
  readonly series: readonly { readonly labels: string; readonly value: MetricValue }[]
}

type AnySeries = CounterValue | GaugeValue | HistogramValue
type Reading = { readonly labels?: Readonly<Record<string, string>> | undefined; readonly value: number }
type Read = () => Iterable<Reading>

/** The owner of metrics, known by its identity. */
export type MetricOwner = object

/** A family that is read at each scrape, such as a counter that another part of the server keeps. */
export type ObservedInit<Label extends string> = GaugeInit<Label> &
  Required<Pick<GaugeInit<Label>, 'read'>> & { readonly type: 'counter' | 'gauge' }

/** The metrics of one owner; the server's own are observed, too. */
export interface OwnedMetrics extends MetricRegistry {
  /** Declares a family with values that are kept elsewhere and read at each scrape. */
  observe<const Label extends string = never>(init: ObservedInit<Label>): void
}

type Held = {
  readonly shape: MetricShape
  /** The prefix of all owners that may declare the family. */
  readonly prefix: string
  readonly table: SeriesTable<AnySeries>
  /** The owners that have declared it, each with the function that reads its values, if it has one. */
  readonly holders: Map<MetricOwner, Read | undefined>
}

type MetricTableOptions = {
  /** Called when the function that reads a family has thrown. */
  readonly onError: (name: string, error: unknown) => void
}

/** The families of the server and its plugins, by name. */
export class MetricTable {
  readonly #options: MetricTableOptions
  /** The families of each name, the latest last; `snapshot` shows the last one that an active owner holds. */
  readonly #families = new Map<string, Held[]>()
  readonly #active = new WeakSet<MetricOwner>()

  constructor(options: MetricTableOptions) {
    this.#options = options
  }

  /**
   * The metrics of an owner. Nobody sees those of families that are new before `activate`.
   * @param prefix stands before the names; owners with the same one have families in common
   */
  registryFor(owner: MetricOwner, prefix: string): OwnedMetrics {
    const declare = (init: Parameters<typeof shapeOf>[0], read?: Read) =>
      this.#declare(owner, prefix, shapeOf({ ...init, name: prefix + init.name }), read)
    return {
      counter: <Label extends string>(init: MetricInit<Label>) =>
        familyOf<Counter, Label>(declare({ ...init, type: 'counter' })),
      gauge: <Label extends string>({ read, ...init }: GaugeInit<Label>) =>
        familyOf<Gauge, Label>(declare({ ...init, type: 'gauge' }, read)),
      histogram: <Label extends string>(init: HistogramInit<Label>) =>
        familyOf<Histogram, Label>(declare({ ...init, type: 'histogram' })),
      observe: <Label extends string>({ read, ...init }: ObservedInit<Label>) => void declare(init, read),
    }
  }

  /** Shows the families of an owner from now on. */
  activate(owner: MetricOwner): void {
    this.#active.add(owner)
  }

  /** Takes its families back, but for those that others have declared, too. */
  removeOwner(owner: MetricOwner): void {
    for (const [name, held] of this.#families) {
      for (const { holders } of held) holders.delete(owner)
      const rest = held.filter(({ holders }) => holders.size > 0)
      if (rest.length === 0) this.#families.delete(name)
      else this.#families.set(name, rest)
    }
  }

  /** All families with their series, as they are now. */
  snapshot(): MetricSnapshot[] {
    return this.#shown().map(({ shape, table, holders }) => {
      const { type, name, help } = shape
      const reads = [...holders.values()].filter((read) => read !== undefined)
      const rows = reads.length === 0 ? table.rows() : this.#read(shape, reads, table).rows()
      return { type, name, help, series: [...rows].map(({ labels, series }) => ({ labels, value: valueOf(series) })) }
    })
  }

  /** Returns the number of requests for series beyond the bound of their family, by the names of those families. */
  overflows(): { readonly name: string; readonly count: number }[] {
    return this.#shown()
      .map(({ shape, table }) => ({ name: shape.name, count: table.overflowed }))
      .filter(({ count }) => count > 0)
  }

  #shown(): Held[] {
    return [...this.#families.values()].flatMap(
      (held) => held.findLast(({ holders }) => [...holders.keys()].some((owner) => this.#active.has(owner))) ?? [],
    )
  }

  #declare(owner: MetricOwner, prefix: string, shape: MetricShape, read?: Read): SeriesTable<AnySeries> {
    const held = this.#families.get(shape.name) ?? []
    const refuse = (why: string) => new TypeError(`no metric '${shape.name}': ${why}`)
    if (held.some((other) => other.prefix !== prefix)) throw refuse('the name is taken')
    const known = held.find((other) => isSameShape(other.shape, shape))
    if (known !== undefined) {
      known.holders.set(owner, read)
      return known.table
    }
    const count = [...this.#families.values()].flat().filter(({ holders }) => holders.has(owner)).length
    if (count >= MAX_FAMILIES) throw refuse(`there are ${MAX_FAMILIES} already`)
    const table = new SeriesTable<AnySeries>(shape, () => seriesOf(shape))
    this.#families.set(shape.name, [...held, { shape, prefix, table, holders: new Map([[owner, read]]) }])
    return table
  }

  /** Adds up the values that are read under the same labels. */
  #read(shape: MetricShape, reads: readonly Read[], own: SeriesTable<AnySeries>): SeriesTable<GaugeValue> {
    const table = new SeriesTable(shape, () => new GaugeValue())
    for (const read of reads) {
      try {
        for (const { labels = {}, value } of read()) table.at(labels).add(value)
      } catch (error) {
        this.#options.onError(shape.name, error)
      }
    }
    own.overflowed += table.overflowed
    return table
  }
}

/** Families that `/metrics` does not show, for parts of the server that run by themselves. */
export function hiddenMetrics(): OwnedMetrics {
  return new MetricTable({ onError: () => {} }).registryFor({}, '')
}

function seriesOf({ type, buckets }: MetricShape): AnySeries {
  if (type === 'histogram') return new HistogramValue(buckets)
  return type === 'counter' ? new CounterValue() : new GaugeValue()
}

function valueOf(series: AnySeries): MetricValue {
  return series instanceof HistogramValue ? series : series.value
}

/** A table is made with the series of its shape's type. */
function familyOf<Series, Label extends string>(table: SeriesTable<AnySeries>): MetricFamily<Series, Label> {
  const labelsOf = ([labels = {}]: readonly Readonly<Record<string, string>>[]) => labels
  return {
    with: (...labels: LabelArguments<Label>) => table.at(labelsOf(labels)) as Series,
    remove: (...labels: LabelArguments<Label>) => table.remove(labelsOf(labels)),
  }
}
