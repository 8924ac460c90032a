/** The keywords of the operations' schemas that reading and writing need. */
export type JsonSchema = {
  readonly type?: unknown
  readonly format?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  /** The schemas of a map's values, by a pattern of its names. */
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
}

export function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return schema?.properties ?? {}
}

/** The schema of a map's values; undefined when it is of no map. */
export function valuesOf(schema: JsonSchema): JsonSchema | undefined {
  return Object.values(schema.patternProperties ?? {})[0]
}

/** The schema that a value goes by where it may be of several: the one of its own shape. */
export function memberFor(schema: JsonSchema, value: unknown): JsonSchema {
  const shape = shapeOf(value)
  return schema.anyOf?.find(({ type }) => type === shape || (type === 'integer' && shape === 'number')) ?? schema
}

export function isNullable({ type, anyOf = [] }: JsonSchema): boolean {
  return type === 'null' || anyOf.some(isNullable)
}

/** Returns true when a schema accepts a text. */
export function takesText({ type, anyOf = [] }: JsonSchema): boolean {
  return type === 'string' || anyOf.some(takesText)
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return shapeOf(value) === 'object'
}

function shapeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
