import { Document, isAlias, isMap, isScalar, isSeq, Pair, Scalar, YAMLMap, type Node } from 'yaml'
import { InvalidRequest, quoted } from 'sluice/sdk'
import { expectation, meantByText } from 'sluice/sdk/host'
import type { Place, Problem } from './config-error.ts'
import { nearestKey, normalizeKey } from './key-name.ts'
import { MASK, masked, plainReading, type Reading } from './reading.ts'
import { hasNamedKeys, holdsSecret, leavesOf, type GroupSchema, type JsonSchema } from './schema.ts'
import { fits, violation } from './validator.ts'

/** The key and the place of a value. */
export type Spot = {
  /** The dotted path that begins with the section. */
  readonly key: string
  readonly place: Place
}

/** A key of a map, with its name in the schema. */
type Entry = { readonly name: string; readonly node: unknown; readonly spot: Spot }

type ReaderOptions = {
  /** The document of the nodes. */
  readonly document: Document
  /** Returns the place of a node; undefined for one without a place of its own. */
  readonly placeOf?: (node: unknown) => Place | undefined
  /** True when the nodes are plain text, so that `true` and `5` may mean a boolean and a number. */
  readonly text?: boolean
  /** The schema of the section, for the hint where a misplaced key belongs. */
  readonly section?: GroupSchema
  /** Makes the message for a key of the section itself that resembles none in its schema. */
  readonly foreignKey?: ((key: string) => string) | undefined
}

/** The readings of defaults, which are the same in all sections with the schema. */
const defaults = new WeakMap<JsonSchema, Reading>()
/** The schema of a key without one. */
const ANYTHING: JsonSchema = {}

/** Reads YAML nodes by a schema. Collects the errors, and reads wrong values as undefined. */
export class ValueReader {
  readonly problems: Problem[] = []
  readonly #options: ReaderOptions

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(source: unknown, schema: JsonSchema, spot: Spot): Reading | undefined {
    const node = this.#resolve(source)
    const reading = this.#readKind(node, schema, spot)
    return reading !== undefined && schema.writeOnly === true ? { ...reading, shown: masked(reading.written) } : reading
  }

  /**
   * Reads the keys of a group. An empty value is an empty map, and a scalar in place of a map is the value of its first key
   * (config.md 1).
   */
  entries(source: unknown, schema: GroupSchema, spot: Spot): readonly Entry[] | undefined {
    const node = this.#resolve(source)
    if (isMap(node)) return this.#namedEntries(node, schema, spot)
    if (isNothing(node)) return []
    const [first] = Object.keys(schema.properties)
    if (isScalar(node) && first !== undefined && schema.properties[first]?.type === 'string') {
      const map = new YAMLMap()
      map.add(new Pair(new Scalar(first), node))
      return this.#namedEntries(map, schema, spot)
    }
    this.#report(spot, `expected a map, found ${kindOf(node)}`)
    return undefined
  }

  #readKind(node: unknown, schema: JsonSchema, spot: Spot): Reading | undefined {
    if (schema.anyOf !== undefined && !isScalar(node)) return this.#readChoice(node, schema, schema.anyOf, spot)
    if (hasNamedKeys(schema)) return this.#readObject(node, schema, spot)
    if (schema.type === 'object') return this.#readMap(node, schema, spot)
    if (schema.type === 'array' && schema.items !== undefined) return this.#readList(node, schema, schema.items, spot)
    return this.#readPlain(node, schema, spot)
  }

  #readPlain(node: unknown, schema: JsonSchema, spot: Spot): Reading | undefined {
    const written = this.#candidates(node).find((candidate) => fits(schema, candidate))
    if (written !== undefined) return plainReading(schema, written)
    if (schema.anyOf !== undefined) return this.#readChoice(node, schema, schema.anyOf, spot)
    return this.#mismatch(node, schema, spot)
  }

  #readChoice(node: unknown, schema: JsonSchema, choices: readonly JsonSchema[], spot: Spot): Reading | undefined {
    const structured = choices.filter((choice) => (isMap(node) ? choice.type === 'object' : choice.type === 'array'))
    for (const choice of choices) {
      const trial = new ValueReader(this.#options)
      const reading = trial.read(node, choice, spot)
      // A reading with an unknown key has problems, too.
      if (reading !== undefined && trial.problems.length === 0) return reading
      // When only one choice is of this kind, its errors are more precise than the message that no choice fits.
      if (structured.length === 1 && structured[0] === choice && !isScalar(node)) {
        this.problems.push(...trial.problems)
        return undefined
      }
    }
    return this.#mismatch(node, schema, spot)
  }

  #readObject(node: unknown, schema: GroupSchema, spot: Spot): Reading | undefined {
    const entries = this.entries(node, schema, spot)
    if (entries === undefined) return undefined
    const readings = new Map<string, Reading | undefined>()
    for (const { name, node, spot } of entries) {
      readings.set(name, this.read(node, schema.properties[name] ?? extraSchema(schema), spot))
    }
    for (const [name, property] of Object.entries(schema.properties)) {
      if (!readings.has(name)) this.#fillIn(readings, name, property, schema, spot)
    }
    return this.#assembled(readings, schema, spot)
  }

  #fillIn(
    readings: Map<string, Reading | undefined>,
    name: string,
    schema: JsonSchema,
    parent: JsonSchema,
    spot: Spot,
  ): void {
    const inner = { key: `${spot.key}.${name}`, place: spot.place }
    if (schema.default !== undefined) readings.set(name, this.readDefault(schema, inner))
    else if (hasNamedKeys(schema)) readings.set(name, this.read(new YAMLMap(), schema, inner))
    else if (parent.required?.includes(name) === true) {
      this.#report(inner, 'is missing')
      readings.set(name, undefined)
    }
  }

  /** Reads the default of a schema, which is written as in the file. */
  readDefault(schema: JsonSchema, spot: Spot): Reading | undefined {
    const known = defaults.get(schema)
    if (known !== undefined) return known
    const problems = this.problems.length
    const reading = this.read(nodeOf(schema.default), schema, spot)
    if (reading !== undefined && this.problems.length === problems) defaults.set(schema, reading)
    return reading
  }

  /** Reads a map whose keys the user chooses. */
  #readMap(node: unknown, schema: JsonSchema, spot: Spot): Reading | undefined {
    if (!isMap(node) && !isNothing(node)) return this.#mismatch(node, schema, spot)
    const patterns = Object.entries(schema.patternProperties ?? {})
    const readings = new Map<string, Reading | undefined>()
    for (const { name, node: value, spot: inner } of isMap(node) ? this.#pairs(node, spot) : []) {
      const matching = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name))
      const { propertyNames } = schema
      if (readings.has(name)) {
        this.#report(inner, 'is given twice')
        readings.set(name, undefined)
      } else if (propertyNames !== undefined && !fits(propertyNames, name)) {
        this.#report(inner, `expected ${expectation(propertyNames)}, found ${quoted(name)}`)
        readings.set(name, undefined)
      } else if (matching === undefined && schema.additionalProperties === false) {
        this.#report(inner, 'unknown key')
        readings.set(name, undefined)
      } else readings.set(name, this.read(value, matching?.[1] ?? extraSchema(schema), inner))
    }
    return this.#assembled(readings, schema, spot)
  }

  /** Reads a list. A scalar in place of a list is a list of one; no value, or an empty string, is an empty list. */
  #readList(node: unknown, schema: JsonSchema, items: JsonSchema, spot: Spot): Reading | undefined {
    if (isMap(node)) return this.#mismatch(node, schema, spot)
    const elements: readonly unknown[] = isSeq(node) ? node.items : this.#scalarElements(node)
    const readings = elements.map((element, index) =>
      this.read(element, items, { key: `${spot.key}[${index}]`, place: this.#placeOf(element) ?? spot.place }),
    )
    const complete = readings.filter((reading) => reading !== undefined)
    if (complete.length < readings.length) return undefined
    const written = complete.map((reading) => reading.written)
    const broken = violation(schema, written)
    if (broken !== undefined) return this.#report(spot, broken)
    const value = Object.freeze(complete.map((reading) => reading.value))
    return { written, value, shown: complete.map((reading) => reading.shown) }
  }

  #scalarElements(node: unknown): readonly unknown[] {
    if (isNothing(node) || (isScalar(node) && node.value === '')) return []
    if (this.#options.text !== true || !isScalar(node)) return [node]
    return String(node.value)
      .split(',')
      .map((element) => new Scalar(element.trim()))
  }

  #assembled(readings: Map<string, Reading | undefined>, schema: JsonSchema, spot: Spot): Reading | undefined {
    const complete: [string, Reading][] = []
    for (const [name, reading] of readings) {
      if (reading === undefined) return undefined
      complete.push([name, reading])
    }
    const assemble = (part: keyof Reading) =>
      Object.fromEntries(complete.map(([name, reading]) => [name, reading[part]]))
    const written = assemble('written')
    const broken = violation(schema, written)
    if (broken !== undefined) return this.#report(spot, broken)
    return { written, value: Object.freeze(assemble('value')), shown: assemble('shown') }
  }

  #namedEntries(map: YAMLMap, schema: GroupSchema, spot: Spot): Entry[] {
    const names = new Map(Object.keys(schema.properties).map((name) => [normalizeKey(name), name]))
    const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
    const seen = new Set<string>()
    return this.#pairs(map, spot).flatMap((entry) => {
      const name = names.get(normalizeKey(entry.name)) ?? (open ? entry.name : undefined)
      if (name === undefined) this.#report(entry.spot, this.#unknownKey(entry.name, schema))
      else if (seen.has(name)) this.#report(entry.spot, 'is given twice')
      else {
        seen.add(name)
        return [{ ...entry, name, spot: { key: `${spot.key}.${name}`, place: entry.spot.place } }]
      }
      return []
    })
  }

  #pairs(map: YAMLMap, spot: Spot): Entry[] {
    return map.items.map(({ key, value }) => {
      const name = isScalar(key) ? String(key.source ?? key.value) : String(key)
      return { name, node: value, spot: { key: `${spot.key}.${name}`, place: this.#placeOf(key) ?? spot.place } }
    })
  }

  #unknownKey(name: string, schema: GroupSchema): string {
    const wanted = normalizeKey(name)
    const elsewhere = leavesOf(this.#options.section ?? schema).find(
      ({ path }) => normalizeKey(path.slice(path.lastIndexOf('.') + 1)) === wanted,
    )
    const nearest = nearestKey(name, Object.keys(schema.properties)) ?? elsewhere?.path
    if (nearest !== undefined) return `unknown key, did you mean '${nearest}'?`
    const { foreignKey } = this.#options
    return foreignKey !== undefined && schema === this.#options.section ? foreignKey(name) : 'unknown key'
  }

  /** The values that a plain value may mean, the most literal first. */
  #candidates(node: unknown): unknown[] {
    if (!isScalar(node)) return [(node as Node | null)?.toJS(this.#options.document)]
    const { value, source } = node
    if (typeof value === 'number') return [value, source ?? String(value)]
    if (this.#options.text !== true || typeof value !== 'string') return [value]
    return [value, ...meantByText(value)]
  }

  #mismatch(node: unknown, schema: JsonSchema, spot: Spot): undefined {
    const found = isScalar(node) && !isNothing(node) ? foundScalar(node, schema) : kindOf(node)
    return this.#report(spot, `expected ${expectation(schema)}, found ${found}`)
  }

  #resolve(source: unknown): unknown {
    return isAlias(source) ? source.resolve(this.#options.document) : source
  }

  #placeOf(node: unknown): Place | undefined {
    return this.#options.placeOf?.(node)
  }

  #report({ key, place }: Spot, message: string): undefined {
    this.problems.push({ ...place, key, message })
  }
}

/** Reads one value given as text, such as a query parameter; undefined when it doesn't fit. */
function readText(text: string, schema: JsonSchema): Reading | undefined {
  const reader = new ValueReader({ document: new Document(), text: true })
  return reader.read(new Scalar(text), schema, { key: '', place: { file: '', line: 0, column: 0 } })
}

/**
 * Reads one value given as text under a name, such as a query parameter.
 * @throws {InvalidRequest} when it doesn't fit. The message does not repeat the value, which may be a secret.
 */
export function readGiven(name: string, text: string, schema: JsonSchema): unknown {
  const reading = readText(text, schema)
  if (reading === undefined) throw new InvalidRequest(`${name}: expected ${expectation(schema)}`)
  return reading.value
}

function nodeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? new Document(value).contents : new Scalar(value)
}

function extraSchema(schema: JsonSchema): JsonSchema {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : ANYTHING
}

function foundScalar({ value, source }: Scalar, schema: JsonSchema): string {
  if (holdsSecret(schema)) return MASK
  return typeof value === 'string' ? quoted(value) : (source ?? String(value))
}

/** True when a node is null, or empty. */
export function isNothing(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null)
}

function kindOf(node: unknown): string {
  if (isMap(node)) return 'a map'
  if (isSeq(node)) return 'a list'
  if (isNothing(node)) return 'nothing'
  return `a ${typeof (isScalar(node) ? node.value : node)}`
}
