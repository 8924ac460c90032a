import type { MetricShape } from './metric-shape.ts'

/** Longer values of labels are cut. */
export const MAX_LABEL_LENGTH = 200
/** The value of all labels of the series that stands for those beyond a family's bound. */
const OTHER = 'other'

type Row<Series> = { readonly labels: string; readonly series: Series }

/** The series of a family by their labels, no more than it may have. */
export class SeriesTable<Series> {
  /** The number of requests for a series beyond the bound. */
  overflowed = 0
  readonly #shape: MetricShape
  readonly #create: () => Series
  readonly #rows = new Map<string, Row<Series>>()
  #other: Row<Series> | undefined

  constructor(shape: MetricShape, create: () => Series) {
    this.#shape = shape
    this.#create = create
  }

  /** @param labels by name; those that are missing are empty */
  at(labels: Readonly<Record<string, string>>): Series {
    const values = this.#valuesOf(labels)
    const key = values.join('\0')
    const known = this.#rows.get(key)
    if (known !== undefined) return known.series
    if (this.#rows.size >= this.#shape.maxSeries) return this.#overflow()
    const row = this.#newRow(values)
    this.#rows.set(key, row)
    return row.series
  }

  remove(labels: Readonly<Record<string, string>>): void {
    this.#rows.delete(this.#valuesOf(labels).join('\0'))
  }

  /** All series, with their labels as both formats have them: `name="value",…`. */
  *rows(): Iterable<Row<Series>> {
    yield* this.#rows.values()
    if (this.#other !== undefined) yield this.#other
  }

  #overflow(): Series {
    this.overflowed++
    this.#other ??= this.#newRow(this.#shape.labels.map(() => OTHER))
    return this.#other.series
  }

  #valuesOf(labels: Readonly<Record<string, string>>): string[] {
    return this.#shape.labels.map((name) => (labels[name] ?? '').slice(0, MAX_LABEL_LENGTH))
  }

  #newRow(values: readonly string[]): Row<Series> {
    const pairs = this.#shape.labels.map((name, index) => [name, values[index] ?? ''])
    return { labels: labelText(Object.fromEntries(pairs)), series: this.#create() }
  }
}

/** Labels as both formats have them: `name="value",…`. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')
}

function escapeLabel(value: string): string {
  return /["\\\n]/u.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value
}
