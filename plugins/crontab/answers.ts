import { Type, type Static } from 'sluice/sdk'
import type { Slot } from './plan-calendar.ts'

const Page = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9, description }))

/** The query of a list, of which a client may ask for a page. */
export const PAGE_QUERY = { pageNum: Page('From 1'), pageSize: Page('All unless given') }

/** A list as the clients of plans know it (api.md 8.5). */
export function countedAnswer<Item extends ReturnType<typeof Type.Object>>(item: Item) {
  return Type.Object({
    totalCount: Type.Integer(),
    pageNum: Type.Integer(),
    pageSize: Type.Integer(),
    data: Type.Array(item),
  })
}

/** The page of a list that is asked for; 0 and nothing ask for all. */
export function countedPage<Item>(
  items: readonly Item[],
  asked: { readonly pageNum?: number; readonly pageSize?: number },
) {
  const pageSize = asked.pageSize || items.length
  const pageNum = asked.pageNum || 1
  const first = (pageNum - 1) * pageSize
  return { totalCount: items.length, pageNum, pageSize, data: items.slice(first, first + pageSize) }
}

/** `Slot` of the API. */
export const SlotAnswer = Type.Object({
  start: Type.String({ format: 'date-time' }),
  end: Type.String({ format: 'date-time' }),
  weekday: Type.String(),
  timeRange: Type.String({ description: '09:00-10:00, by the clocks of the server' }),
})

export function slotView({ startMs, endMs, weekday, timeRange }: Slot): Static<typeof SlotAnswer> {
  return { start: isoTime(startMs), end: isoTime(endMs), weekday, timeRange }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
