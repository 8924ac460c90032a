import { parseDuration } from 'sluice/sdk'
import type { JsonSchema } from './schema.ts'

export type Formats = Readonly<Record<string, (text: string) => boolean>>

/** The answer whether a value fits; undefined when a validator must find out. */
type Fit = boolean | undefined

type Word = (asked: unknown, value: unknown, schema: JsonSchema, formats: Formats) => Fit

/** Keywords for people or for the reader of the config, which do not restrict the value (JSON Schema Validation 9). */
const NOTES = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
])

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: isNumber,
  integer: (value) => Number.isInteger(value),
  object: isObject,
  array: (value) => Array.isArray(value),
}

/**
 * The common keywords of JSON Schema Core 10 and Validation 6. A keyword with an argument that the standard does not allow
 * has no answer.
 */
const WORDS: Readonly<Record<string, Word>> = {
  type: (type, value) => (typeof type === 'string' ? TYPES[type]?.(value) : undefined),
  const: (constant, value) => (isScalar(constant) ? constant === value : undefined),
  anyOf: (choices, value, _schema, formats) => {
    if (!Array.isArray(choices)) return undefined
    const results = choices.map((choice: JsonSchema) => plainFit(choice, value, formats))
    return results.includes(true) || (results.includes(undefined) ? undefined : false)
  },
  format: (format, value, _schema, formats) => {
    const check = typeof format === 'string' ? formats[format] : undefined
    return check && (typeof value !== 'string' || check(value))
  },
  pattern: (pattern, value) =>
    typeof pattern === 'string' ? typeof value !== 'string' || new RegExp(pattern, 'u').test(value) : undefined,
  durationMaximum: (maximum, value) =>
    typeof maximum === 'string' ? typeof value !== 'string' || isWithin(maximum, value) : undefined,
  minLength: bound(
    (value) => (typeof value === 'string' ? Array.from(value).length : undefined),
    (least, size) => size >= least,
  ),
  minimum: bound(numberOf, (least, value) => value >= least),
  maximum: bound(numberOf, (most, value) => value <= most),
  multipleOf: bound(numberOf, (divisor, value) => Number.isInteger(value / divisor)),
  minItems: bound(
    (value) => (Array.isArray(value) ? value.length : undefined),
    (least, size) => size >= least,
  ),
  maxItems: bound(
    (value) => (Array.isArray(value) ? value.length : undefined),
    (most, size) => size <= most,
  ),
  items: (items, value, _schema, formats) => {
    if (!isObject(items)) return undefined
    return !Array.isArray(value) || all(value.map((item) => plainFit(items, item, formats)))
  },
  required: (names, value) =>
    Array.isArray(names) ? !isObject(value) || names.every((name) => Object.hasOwn(value, String(name))) : undefined,
  properties: (properties, value, _schema, formats) => {
    if (!isObject(properties)) return undefined
    if (!isObject(value)) return true
    const named = Object.entries(properties).filter(([name]) => Object.hasOwn(value, name))
    return all(named.map(([name, schema]) => plainFit(schema as JsonSchema, value[name], formats)))
  },
  patternProperties: (patterns, value, _schema, formats) => {
    if (!isObject(patterns)) return undefined
    if (!isObject(value)) return true
    const fitsOf = ([pattern, schema]: readonly [string, unknown]) =>
      Object.keys(value)
        .filter((name) => new RegExp(pattern, 'u').test(name))
        .map((name) => plainFit(schema as JsonSchema, value[name], formats))
    return all(Object.entries(patterns).flatMap(fitsOf))
  },
  additionalProperties: (extra, value, { properties = {}, patternProperties = {} }, formats) => {
    if (!isObject(value)) return true
    const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern, 'u'))
    const names = Object.keys(value).filter(
      (name) => !Object.hasOwn(properties, name) && !patterns.some((pattern) => pattern.test(name)),
    )
    if (typeof extra === 'boolean') return extra || names.length === 0
    return all(names.map((name) => plainFit(extra as JsonSchema, value[name], formats)))
  },
  propertyNames: (schema, value, _schema, formats) =>
    !isObject(value) || all(Object.keys(value).map((name) => plainFit(schema as JsonSchema, name, formats))),
}

/**
 * Returns true when a value fits a schema of common keywords, else false; undefined for a schema with other keywords, or
 * with wrong arguments, which needs a validator.
 */
export function plainFit(schema: JsonSchema, value: unknown, formats: Formats): Fit {
  if (!isObject(schema)) return undefined
  const asked = Object.entries(schema).filter(([word]) => !NOTES.has(word))
  return all(asked.map(([word, argument]) => WORDS[word]?.(argument, value, schema, formats)))
}

/** Returns true when a duration is at most another one, both as they are written. */
export function isWithin(maximum: string, text: string): boolean {
  return (parseDuration(text) ?? 0) <= (parseDuration(maximum) ?? Infinity)
}

function all(results: readonly Fit[]): Fit {
  if (results.includes(undefined)) return undefined
  return !results.includes(false)
}

/** A keyword with a number that restricts values with a measure; all other values fit. */
function bound(
  measure: (value: unknown) => number | undefined,
  isMet: (bound: number, measured: number) => boolean,
): Word {
  return (asked, value) => {
    if (!isNumber(asked)) return undefined
    const measured = measure(value)
    return measured === undefined || isMet(asked, measured)
  }
}

function numberOf(value: unknown): number | undefined {
  return isNumber(value) ? value : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}
