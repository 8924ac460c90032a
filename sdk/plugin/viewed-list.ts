import type { AnswerList, OperationAnswer } from './operations.ts'

/** Answers with the items that there are now; `view` is called for those of the page that is asked for, and for no others. */
export function viewedList<Item, View>(
  items: Iterable<Item>,
  view: (item: Item) => OperationAnswer<View>,
): AnswerList<View> {
  const list = [...items]
  return { length: list.length, slice: (start, end) => list.slice(start, end).map(view) }
}
