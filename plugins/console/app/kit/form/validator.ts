import { choicesOf, type FieldSchema } from './field-schema.ts'

/** A rule of a schema that a value breaks. */
export type Fault = {
  readonly path: readonly (string | number)[]
  readonly rule:
    | 'required'
    | 'type'
    | 'choice'
    | 'union'
    | 'unknown'
    | 'name'
    | 'minimum'
    | 'above'
    | 'maximum'
    | 'below'
    | 'minLength'
    | 'maxLength'
    | 'pattern'
    | 'minItems'
    | 'maxItems'
  /** The type, the bound or the pattern of the rule. */
  readonly limit?: string | number
}

type Path = Fault['path']

/** Checks a value by the keywords of a schema that forms know; others are left to the server. */
export function faultsOf(schema: FieldSchema, value: unknown, path: Path = []): readonly Fault[] {
  const choices = choicesOf(schema)
  if (choices !== undefined) {
    return choices.some((choice) => isSame(choice.value, value)) ? [] : [{ path, rule: 'choice' }]
  }
  const options = schema.oneOf ?? schema.anyOf
  if (options !== undefined && !options.some((option) => faultsOf(option, value).length === 0)) {
    return options.length === 1 ? faultsOf(options[0] ?? {}, value, path) : [{ path, rule: 'union' }]
  }
  const { type } = schema
  if (type !== undefined && !isOfType(value, type)) return [{ path, rule: 'type', limit: type }]
  return [
    ...(schema.allOf ?? []).flatMap((one) => faultsOf(one, value, path)),
    ...(typeof value === 'number' ? numberFaults(schema, value, path) : []),
    ...(typeof value === 'string' ? textFaults(schema, value, path) : []),
    ...(Array.isArray(value) ? listFaults(schema, value, path) : []),
    ...(isMap(value) ? mapFaults(schema, value, path) : []),
  ]
}

function numberFaults(schema: FieldSchema, value: number, path: Path): Fault[] {
  const { minimum, exclusiveMinimum: above, maximum, exclusiveMaximum: below } = schema
  return [
    ...(minimum !== undefined && value < minimum ? [{ path, rule: 'minimum', limit: minimum } as const] : []),
    ...(above !== undefined && value <= above ? [{ path, rule: 'above', limit: above } as const] : []),
    ...(maximum !== undefined && value > maximum ? [{ path, rule: 'maximum', limit: maximum } as const] : []),
    ...(below !== undefined && value >= below ? [{ path, rule: 'below', limit: below } as const] : []),
  ]
}

function textFaults({ minLength, maxLength, pattern }: FieldSchema, value: string, path: Path): Fault[] {
  const { length } = Array.from(value)
  return [
    ...(minLength !== undefined && length < minLength ? [{ path, rule: 'minLength', limit: minLength } as const] : []),
    ...(maxLength !== undefined && length > maxLength ? [{ path, rule: 'maxLength', limit: maxLength } as const] : []),
    ...(pattern !== undefined && !fitsPattern(pattern, value)
      ? [{ path, rule: 'pattern', limit: pattern } as const]
      : []),
  ]
}

function listFaults({ items, minItems, maxItems }: FieldSchema, value: readonly unknown[], path: Path): Fault[] {
  return [
    ...(minItems !== undefined && value.length < minItems
      ? [{ path, rule: 'minItems', limit: minItems } as const]
      : []),
    ...(maxItems !== undefined && value.length > maxItems
      ? [{ path, rule: 'maxItems', limit: maxItems } as const]
      : []),
    ...(items === undefined ? [] : value.flatMap((item, index) => faultsOf(items, item, [...path, index]))),
  ]
}

function mapFaults(schema: FieldSchema, value: Readonly<Record<string, unknown>>, path: Path): Fault[] {
  const { properties = {}, patternProperties = {}, additionalProperties = true, propertyNames, required = [] } = schema
  const isGiven = (name: string) => Object.hasOwn(value, name) && value[name] !== undefined
  const missing = required.filter((name) => !isGiven(name))
  const faults: Fault[] = missing.map((name) => ({ path: [...path, name], rule: 'required' }))
  for (const [name, one] of Object.entries(value)) {
    if (one === undefined) continue
    const inner = [...path, name]
    const matching = Object.entries(patternProperties).filter(([pattern]) => fitsPattern(pattern, name))
    const schemas = matching.map(([, schema]) => schema)
    if (Object.hasOwn(properties, name)) schemas.push(properties[name] ?? {})
    if (schemas.length === 0) {
      if (additionalProperties === false) faults.push({ path: inner, rule: 'unknown' })
      else if (additionalProperties !== true) schemas.push(additionalProperties)
    }
    if (propertyNames !== undefined && faultsOf(propertyNames, name).length > 0)
      faults.push({ path: inner, rule: 'name' })
    faults.push(...schemas.flatMap((schema) => faultsOf(schema, one, inner)))
  }
  return faults
}

/** A pattern that this browser does not understand is left to the server. */
function fitsPattern(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isMap(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for equal values of JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  }
  if (!isMap(one) || !isMap(other)) return Object.is(one, other)
  const names = Object.keys(one).filter((name) => one[name] !== undefined)
  const others = Object.keys(other).filter((name) => other[name] !== undefined)
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}
