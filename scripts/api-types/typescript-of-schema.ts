/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

/** The types of texts of a format, by the format, with what their comments say. */
export const TEXT_TYPES: ReadonlyMap<string, { readonly name: string; readonly comment: string }> = new Map([
  ['date-time', { name: 'DateTime', comment: 'A time of RFC 3339, such as `2026-01-31T08:00:00Z`.' }],
  ['int64', { name: 'Int64', comment: 'An integer of 64 bits, in decimal digits.' }],
])

/** The length of an object that stands in one line. */
const MAX_INLINE_LENGTH = 90
const PRIMITIVES: ReadonlyMap<unknown, string> = new Map([
  ['boolean', 'boolean'],
  ['integer', 'number'],
  ['null', 'null'],
  ['number', 'number'],
])
/** A type that says nothing beside others that a value must have, too. */
const ANYTHING = 'unknown'

/** The type of the values that a JSON Schema allows, as far as TypeScript can say it. Limits and patterns are left out. */
export function typescriptOfSchema(schema: unknown): string {
  if (schema === false) return 'never'
  if (schema === true || schema === undefined) return ANYTHING
  return intersectionOf(partsOf(schema as Schema))
}

/** An object type with a member for each property; `isRequired` tells those that are always there. */
export function objectType(properties: Schema, isRequired: (name: string) => boolean): string {
  return membersType(Object.entries(properties).map(([name, property]) => propertyOf(name, property, isRequired(name))))
}

/** An object type of members, which are in one line each, or in one line together where they are short. */
export function membersType(members: readonly string[]): string {
  if (members.length === 0) return '{}'
  const line = `{ ${members.join('; ')} }`
  const isInline = line.length <= MAX_INLINE_LENGTH && !/\n|\/\*\*/u.test(line)
  return isInline ? line : `{\n${members.map((member) => `  ${indented(member)}\n`).join('')}}`
}

/** A comment in front of what it is about, with a line for each text that there is; nothing where there is none. */
export function commentOf(...texts: readonly unknown[]): string {
  const lines = texts
    .filter((text) => typeof text === 'string' && text !== '')
    .map((text) =>
      String(text)
        .replaceAll(/\s+/gu, ' ')
        .replaceAll('*/', String.raw`*\/`),
    )
  if (lines.length > 1) return `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`
  return lines.map((line) => `/** ${line} */\n`).join('')
}

/** A text as a literal. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
  return `'${escaped.replaceAll("'", String.raw`\'`)}'`
}

/** A text of several lines, of which all but the first are one step further in. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** The types that a value must all have: each keyword that says something of types has its own. */
function partsOf(schema: Schema): string[] {
  const { $ref, type, const: only, enum: some, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') return [$ref.slice($ref.lastIndexOf('/') + 1)]
  if ('const' in schema) return [literalOf(only)]
  if (Array.isArray(some)) return [unionOf(some.map(literalOf))]
  const kinds = Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type]
  return [
    ...(kinds.length === 0 ? [] : [unionOf(kinds.map((kind) => typeOfKind(kind, schema)))]),
    ...[anyOf, oneOf].flatMap((choice) => (Array.isArray(choice) ? [unionOf(choice.map(typescriptOfSchema))] : [])),
    ...(Array.isArray(allOf) ? allOf.map(typescriptOfSchema) : []),
  ]
}

function typeOfKind(kind: unknown, schema: Schema): string {
  if (kind === 'object') return typeOfObject(schema)
  if (kind === 'array') return `${operand(typescriptOfSchema(schema['items']))}[]`
  if (kind === 'string') return TEXT_TYPES.get(String(schema['format']))?.name ?? 'string'
  return PRIMITIVES.get(kind) ?? ANYTHING
}

function typeOfObject({ properties = {}, required, patternProperties = {}, additionalProperties }: Schema): string {
  const always = new Set(Array.isArray(required) ? required : [])
  const named = objectType(properties as Schema, (name) => always.has(name))
  const others = [
    ...Object.values(patternProperties as Schema),
    ...(typeof additionalProperties === 'object' || additionalProperties === true ? [additionalProperties] : []),
  ]
  const isNamed = named !== '{}'
  if (others.length === 0)
    return isNamed ? named : `Record<string, ${additionalProperties === false ? 'never' : ANYTHING}>`
  const record = `Record<string, ${unionOf(others.map(typescriptOfSchema))}>`
  return isNamed ? `${named} & ${record}` : record
}

function propertyOf(name: string, schema: unknown, isRequired: boolean): string {
  const key = /^[A-Za-z_$][\w$]*$/u.test(name) ? name : quoted(name)
  const { description } = Object(schema) as Schema
  return `${commentOf(description)}${key}${isRequired ? '' : '?'}: ${typescriptOfSchema(schema)}`
}

function literalOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  return value === null || typeof value !== 'object' ? String(value) : ANYTHING
}

function unionOf(types: readonly string[]): string {
  const alternatives = [...new Set(types)]
  if (alternatives.includes(ANYTHING)) return ANYTHING
  return alternatives.length === 0 ? 'never' : alternatives.join(' | ')
}

function intersectionOf(types: readonly string[]): string {
  const [first = ANYTHING, ...others] = new Set(types.filter((type) => type !== ANYTHING))
  return others.length === 0 ? first : [first, ...others].map(operand).join(' & ')
}

/** A type in parentheses where it would fall apart as a part of another one. */
function operand(type: string): string {
  return isCompound(type) ? `(${type})` : type
}

/** Returns true for a type that has `|` or `&` outside all brackets and quotes. */
function isCompound(type: string): boolean {
  const outside = type.replaceAll(/'(?:[^'\\]|\\.)*'|\/\*\*.*?\*\//gu, '')
  let depth = 0
  for (const character of outside) {
    if ('{[(<'.includes(character)) depth++
    else if ('}])>'.includes(character)) depth--
    else if (depth === 0 && '|&'.includes(character)) return true
  }
  return false
}
