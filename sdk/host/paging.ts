import type { JsonSchema } from './json-schema.ts'

const PAGE_NUMBER = { type: 'integer', minimum: 0, maximum: 1e9 }

/** The parameters of an operation that is `paged`. */
export const PAGE_QUERY: NonNullable<JsonSchema['properties']> = { pageNum: PAGE_NUMBER, pageSize: PAGE_NUMBER }

/** The items of a list that are asked for, and what goes beside them; 0 and nothing ask for all. Pages count from 1. */
export function pageRange({ length }: { readonly length: number }, query: Readonly<Record<string, unknown>>) {
  const pageSize = numberOf(query['pageSize']) || length
  const pageNum = numberOf(query['pageNum']) || 1
  const start = Math.min(length, (pageNum - 1) * pageSize)
  return { start, end: Math.min(length, start + pageSize), total: length, pageNum, pageSize }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
