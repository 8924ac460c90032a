import type { AnswerList, OperationAnswer } from 'sluice/sdk'

/** The items that there are now, of which no more are viewed than those of the page that is asked for. */
export function viewedList<Item, View>(
  items: Iterable<Item>,
  view: (item: Item) => OperationAnswer<View>,
): AnswerList<View> {
  const list = [...items]
  return { length: list.length, slice: (start, end) => list.slice(start, end).map(view) }
}
