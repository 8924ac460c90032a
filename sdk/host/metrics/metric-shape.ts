/** The most families that one owner has; bounded, as plugins make them. */
export const MAX_FAMILIES = 100
/** The most series of a family, unless its own `maxSeries` is another number. */
const DEFAULT_MAX_SERIES = 100
const MAX_SERIES = 10_000
const MAX_LABELS = 8
const MAX_BUCKETS = 30

const NAME = /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/u
const LABEL = /^[a-z][a-zA-Z\d]*(?:_[a-z\d]+)*$/u
/** The endings that the formats add to the name of a histogram (OpenMetrics 1.0, "MetricFamily Name"). */
const RESERVED_SUFFIX = /_(?:bucket|sum|count|created)$/u

export type MetricType = 'counter' | 'gauge' | 'histogram'

/** The properties of a family that stay the same while it exists. */
export type MetricShape = {
  readonly type: MetricType
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly maxSeries: number
  /** Empty where it is no histogram. */
  readonly buckets: readonly number[]
}

type ShapeInit = Pick<MetricShape, 'type' | 'name' | 'help'> & Partial<MetricShape>

/** Returns the prefix of the names of a plugin's families. */
export function metricPrefix(plugin: string): string {
  return `sluice_${plugin.toLowerCase().replaceAll(/[^a-z\d]+/gu, '_')}_`
}

/**
 * Completes the shape of a family.
 * @throws {TypeError} when there can be none of that shape
 */
export function shapeOf({
  labels = [],
  buckets = [],
  maxSeries = DEFAULT_MAX_SERIES,
  ...init
}: ShapeInit): MetricShape {
  const { type, name, help } = init
  const refuse = (why: string) => new TypeError(`no metric '${name}': ${why}`)
  if (!NAME.test(name)) throw refuse('a name is words of lower-case letters and digits with underscores between them')
  if (name.endsWith('_total') !== (type === 'counter'))
    throw refuse('the names of counters, and of no others, end with _total')
  if (RESERVED_SUFFIX.test(name)) throw refuse('the end of its name is that of a part of a histogram')
  if (help === '' || help.includes('\n')) throw refuse('its help is one line')
  if (labels.length > MAX_LABELS) throw refuse(`it has more than ${MAX_LABELS} labels`)
  const isMalformed =
    labels.some((label) => !LABEL.test(label) || label === 'le') || new Set(labels).size < labels.length
  if (isMalformed) throw refuse('labels have names of their own, of letters, digits and underscores, and none is le')
  if (!(maxSeries >= 1 && maxSeries <= MAX_SERIES)) throw refuse(`it has from 1 to ${MAX_SERIES} series`)
  if (type === 'histogram' && !areBuckets(buckets)) throw refuse(`it has 1 to ${MAX_BUCKETS} ascending buckets`)
  return { ...init, labels: [...labels], maxSeries, buckets: [...buckets] }
}

/** Returns true when the values of two families can be added up: type, labels and buckets are the same. */
export function isSameShape(one: MetricShape, other: MetricShape): boolean {
  const listsOf = ({ type, labels, buckets }: MetricShape) => [type, labels.join(), buckets.join()].join(';')
  return listsOf(one) === listsOf(other)
}

function areBuckets(buckets: readonly number[]): boolean {
  const isAscending = buckets.every(
    (bound, index) => Number.isFinite(bound) && bound > (buckets[index - 1] ?? -Infinity),
  )
  return buckets.length > 0 && buckets.length <= MAX_BUCKETS && isAscending
}
