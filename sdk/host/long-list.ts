import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeValue } from './answer-writer.ts'
import type { AnyOperation } from './any-operation.ts'
import type { JsonSchema } from './json-schema.ts'
import { DONE, isList, type List } from './operation-body.ts'
import { pageRange } from './paging.ts'

/** A longer page is made in several turns of the event loop. */
const MAX_ITEMS_A_TURN = 100

/**
 * The JSON of a page with many items, made bit by bit, so that media goes on meanwhile.
 * @returns undefined for a short page, and for an answer that is not paged
 */
export function longListText(
  { answer: schema, paged = false }: AnyOperation,
  answer: unknown,
  query: Readonly<Record<string, unknown>>,
): AsyncIterable<string> | undefined {
  if (!paged || schema === undefined || !isList(answer)) return undefined
  const { start, end, ...page } = pageRange(answer, query)
  if (end - start <= MAX_ITEMS_A_TURN) return undefined
  return listText(JSON.stringify({ ...DONE, ...page }), { schema, list: answer, start, end })
}

type Part = { readonly schema: JsonSchema; readonly list: List; readonly start: number; readonly end: number }

async function* listText(head: string, { schema, list, start, end }: Part): AsyncGenerator<string> {
  let before = `${head.slice(0, -1)},"data":[`
  for (let first = start; first < end; first += MAX_ITEMS_A_TURN) {
    const items = writeValue(schema, list.slice(first, Math.min(end, first + MAX_ITEMS_A_TURN)))
    const text = JSON.stringify(items).slice(1, -1)
    if (text !== '') {
      yield before + text
      before = ','
    }
    await nextTurn()
  }
  yield before === ',' ? ']}' : `${before}]}`
}
