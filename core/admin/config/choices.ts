import type { JsonSchema } from '../../config/schema.ts'

/** A value that a key may have, and its title where it has one. */
export type Choice = { readonly value: unknown; readonly title: string | undefined }

/** The values of a union of literals; undefined for any other schema. */
export function choicesOf(schema: JsonSchema): readonly Choice[] | undefined {
  if (schema.enum !== undefined) return schema.enum.map((value) => ({ value, title: undefined }))
  const { anyOf } = schema
  if (anyOf === undefined || anyOf.some((choice) => choice.const === undefined)) return undefined
  return anyOf.map((choice) => ({ value: choice.const, title: choice.title }))
}

/**
 * The same union in the form that generators of forms and other readers of JSON Schema support: `type` with `enum`, or with
 * titled values.
 */
export function choiceSchema(schema: JsonSchema, choices: readonly Choice[]): JsonSchema {
  const { anyOf: _, ...rest } = schema
  const [type, ...others] = new Set(choices.map(({ value }) => typeof value))
  const typed = type === undefined || others.length > 0 ? rest : { ...rest, type }
  if (choices.every(({ title }) => title === undefined)) return { ...typed, enum: choices.map(({ value }) => value) }
  return { ...typed, oneOf: choices.map(({ value, title = String(value) }) => ({ const: value, title })) }
}
