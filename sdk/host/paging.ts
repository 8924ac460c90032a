import type { JsonSchema } from './json-schema.ts'

const PAGE_NUMBER = { type: 'integer', minimum: 0, maximum: 1e9 }

/** The parameters of an operation that is `paged`. */
export const PAGE_QUERY: NonNullable<JsonSchema['properties']> = { pageNum: PAGE_NUMBER, pageSize: PAGE_NUMBER }

type List = { readonly length: number; slice(start: number, end: number): readonly unknown[] }

/** The page of a list that is asked for, counted from 1, and what goes beside it; 0 and nothing ask for all. */
export function pageOf(list: List, query: Readonly<Record<string, unknown>>) {
  const pageSize = numberOf(query['pageSize']) || list.length
  const pageNum = numberOf(query['pageNum']) || 1
  return { data: list.slice((pageNum - 1) * pageSize, pageNum * pageSize), total: list.length, pageNum, pageSize }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
