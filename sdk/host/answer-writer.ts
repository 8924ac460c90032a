import { isNullable, isObject, memberFor, valuesOf, type JsonSchema } from './json-schema.ts'

/** The value of an answer as it goes out: the fields of its schema and no others, unset ones included. */
export function writeValue(schema: JsonSchema, value: unknown): unknown {
  if (value === undefined || value === null) return unsetValue(schema)
  const own = memberFor(schema, value)
  if (own.format === 'int64' && (typeof value === 'number' || typeof value === 'string')) return String(value)
  if (Array.isArray(value)) return value.map((item) => writeValue(own.items ?? {}, item))
  if (!isObject(value)) return value
  const values = valuesOf(own)
  if (values) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writeValue(values, item)]))
  return own.properties === undefined ? value : writeFields(own, value)
}

function writeFields(schema: JsonSchema, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const written = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    const isLeftOut = value === undefined && !schema.required?.includes(name)
    return isLeftOut ? [] : [[name, writeValue(property, value)] as const]
  })
  return Object.fromEntries(written)
}

function unsetValue(schema: JsonSchema): unknown {
  const { type, format, anyOf, const: only, enum: allowed } = schema
  if (isNullable(schema)) return null
  if (anyOf !== undefined) return unsetValue(anyOf[0] ?? {})
  if (only !== undefined) return only
  if (allowed !== undefined) return allowed[0]
  if (format === 'int64') return '0'
  if (type === 'string') return ''
  if (type === 'integer' || type === 'number') return 0
  if (type === 'boolean') return false
  if (type === 'array') return []
  return type === 'object' ? writeFields(schema, {}) : null
}
