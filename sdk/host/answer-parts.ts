import type { AnyOperation } from './any-operation.ts'
import { isList, type List } from './operation-body.ts'
import { pageRange } from './paging.ts'

/**
 * The part that one process has of an answer: plain data. Of a paged list it holds the items up to the end of the page that is
 * asked for, and how many there are in all.
 */
export type AnswerPart = { readonly value: unknown } | { readonly items: readonly unknown[]; readonly length: number }

/** Makes the part for other processes of what an operation's handler has answered. */
export function answerPart(
  { reach, paged = false }: AnyOperation,
  answer: unknown,
  query: Readonly<Record<string, unknown>>,
): AnswerPart {
  if (!isList(answer)) return { value: answer }
  if (reach !== 'all' || !paged) return { value: wholeOf(answer) }
  return { items: answer.slice(0, pageRange(answer, query).end), length: answer.length }
}

/** Joins the answers of several processes' handlers, this one's first, by the reach of the operation. */
export function joinAnswers(
  { reach, answer: schema, paged = false }: AnyOperation,
  own: readonly unknown[],
  parts: readonly AnswerPart[],
): unknown {
  const answers = [...own, ...parts.map(answerOf)]
  if (typeof reach === 'object' && 'all' in reach) return reach.all(answers.map(wholeOf))
  if (schema === undefined) return undefined
  const list = joinedList(answers.filter(isList))
  return paged ? list : wholeOf(list)
}

function answerOf(part: AnswerPart): unknown {
  if ('value' in part) return part.value
  return { length: part.length, slice: (start: number, end: number) => part.items.slice(start, end) }
}

function wholeOf(answer: unknown): unknown {
  return isList(answer) && !Array.isArray(answer) ? answer.slice(0, answer.length) : answer
}

/** Lists one after another. No item is made that no page has. */
function joinedList(lists: readonly List[]): List {
  return {
    length: lists.reduce((sum, { length }) => sum + length, 0),
    slice(start, end) {
      let first = 0
      return lists.flatMap((list) => {
        const items = list.slice(Math.max(0, start - first), Math.max(0, end - first))
        first += list.length
        return items
      })
    },
  }
}
