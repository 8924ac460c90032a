import { writeValue } from './answer-writer.ts'
import type { AnyOperation } from './any-operation.ts'
import { isObject } from './json-schema.ts'
import { pageRange } from './paging.ts'

/** The fields of the envelope around a successful answer. */
export const DONE = { code: 0, message: 'success' }

/** The body that goes out for what a handler has answered. */
export function operationBody(
  operation: AnyOperation,
  answer: unknown,
  query: Readonly<Record<string, unknown>>,
): unknown {
  const { wire = 'envelope', answer: schema, paged = false } = operation
  if (schema === undefined) return wire === 'bare' ? {} : DONE
  if (paged && isList(answer)) {
    const { start, end, ...page } = pageRange(answer, query)
    return { ...DONE, ...page, data: writeValue(schema, answer.slice(start, end)) }
  }
  const value = writeValue(schema, answer)
  if (wire === 'bare') return value
  if (wire === 'fields') return isObject(value) ? { ...DONE, ...value } : DONE
  return { ...DONE, data: value }
}

/** The fields that the body of a success has, all unset: clients that look at the body alone expect them beside an error, too. */
export function unsetBody(operation: AnyOperation): Readonly<Record<string, unknown>> {
  const body = operationBody(operation, operation.paged ? [] : undefined, {})
  return isObject(body) ? body : {}
}

/** A list, or what makes the part of one that it is asked for. */
export type List = { readonly length: number; slice(start: number, end: number): readonly unknown[] }

/** Returns true for a list, and for a {@link List} that makes only the part that a request asks for. */
export function isList(answer: unknown): answer is List {
  return typeof answer === 'object' && answer !== null && 'length' in answer && 'slice' in answer
}
