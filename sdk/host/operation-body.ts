import { writeValue } from './answer-writer.ts'
import type { AnyOperation } from './any-operation.ts'
import { isObject } from './json-schema.ts'
import { pageOf } from './paging.ts'

const DONE = { code: 0, message: 'success' }

/** The body that goes out for what a handler has answered. */
export function operationBody(
  operation: AnyOperation,
  answer: unknown,
  query: Readonly<Record<string, unknown>>,
): unknown {
  const { wire = 'envelope', answer: schema, paged = false } = operation
  if (schema === undefined) return wire === 'bare' ? {} : DONE
  if (paged && isList(answer)) {
    const { data, ...page } = pageOf(answer, query)
    return { ...DONE, ...page, data: writeValue(schema, data) }
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

type List = Parameters<typeof pageOf>[0]

function isList(answer: unknown): answer is List {
  return typeof answer === 'object' && answer !== null && 'length' in answer && 'slice' in answer
}
