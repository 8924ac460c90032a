import type { JsonSchema } from '../../config/schema.ts'

/** The schema of what may be written, where that of what holds asks for all keys: those with a default can be left out. */
export function writtenSchema(schema: JsonSchema): JsonSchema {
  const { properties, patternProperties, items, anyOf, required } = schema
  return {
    ...schema,
    ...(properties && { properties: mapped(properties) }),
    ...(patternProperties && { patternProperties: mapped(patternProperties) }),
    ...(items && { items: writtenSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(writtenSchema) }),
    ...(required && { required: required.filter((name) => !hasDefault(properties?.[name])) }),
  }
}

function mapped(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, writtenSchema(schema)]))
}

/** Whether a key has a value also where nothing is written for it, or for the keys in it. */
function hasDefault(schema: JsonSchema = {}): boolean {
  if (schema.default !== undefined) return true
  const { properties, required = [] } = schema
  return properties !== undefined && required.every((name) => hasDefault(properties[name]))
}
