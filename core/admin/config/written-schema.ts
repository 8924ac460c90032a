import { keyTitle } from '../../config/key-title.ts'
import type { JsonSchema } from '../../config/schema.ts'
import { choiceSchema, choicesOf } from './choices.ts'

/**
 * The schema of the values that may be written. The schema of the effective values requires all keys; here, keys with a
 * default can be left out. Each key has a title, and a union of literals is a list of values.
 */
export function writtenSchema(schema: JsonSchema): JsonSchema {
  const choices = choicesOf(schema)
  if (choices !== undefined) return choiceSchema(schema, choices)
  const { properties, patternProperties, items, anyOf, required } = schema
  return {
    ...schema,
    ...(properties && { properties: titled(mapped(properties)) }),
    ...(patternProperties && { patternProperties: mapped(patternProperties) }),
    ...(items && { items: writtenSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(writtenSchema) }),
    ...(required && { required: required.filter((name) => !hasDefault(properties?.[name])) }),
  }
}

function mapped(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, writtenSchema(schema)]))
}

function titled(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const entries = Object.entries(schemas)
  return Object.fromEntries(entries.map(([name, schema]) => [name, { title: keyTitle(name), ...schema }]))
}

/** True when a key has a value even if nothing is written for it, nor for the keys in it. */
function hasDefault(schema: JsonSchema = {}): boolean {
  if (schema.default !== undefined) return true
  const { properties, required = [] } = schema
  return properties !== undefined && required.every((name) => hasDefault(properties[name]))
}
