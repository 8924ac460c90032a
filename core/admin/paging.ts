import { ok } from '../http/replies.ts'

/** The page that is asked for, by either spelling of the names (api.md 1); no `pageSize` is everything. */
type PageQuery = {
  readonly pageNum?: number
  readonly pageSize?: number
  readonly page_num?: number
  readonly page_size?: number
}

/** A route of a list; fastify checks and converts its query by the schema. */
export type PagedRoute = { readonly Querystring: PageQuery }

const PAGE_NUMBER = { type: 'integer', minimum: 0, maximum: 1e9 }

/** The schema of {@link PagedRoute}. */
export const PAGED = {
  schema: {
    querystring: {
      type: 'object',
      properties: { pageNum: PAGE_NUMBER, pageSize: PAGE_NUMBER, page_num: PAGE_NUMBER, page_size: PAGE_NUMBER },
    },
  },
}

/** The answer of a list operation: one page of it, counted from 1, or all. */
export function page<Item>(list: readonly Item[], query: PageQuery, view: (item: Item) => unknown) {
  const pageSize = query.pageSize || query.page_size || list.length
  const pageNum = query.pageNum || query.page_num || 1
  const items = list.slice((pageNum - 1) * pageSize, pageNum * pageSize)
  return ok(items.map(view), { total: list.length, pageNum, pageSize })
}
