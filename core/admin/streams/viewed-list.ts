import type { AnswerList, OperationAnswer } from 'sluice/sdk'

/** The items of a set or map, of which no more are viewed than those of the page that is asked for. */
export function viewedList<Item, View>(
  items: { readonly size: number; values(): IteratorObject<Item> },
  view: (item: Item) => OperationAnswer<View>,
): AnswerList<View> {
  return {
    length: items.size,
    slice: (start, end) =>
      items
        .values()
        .drop(start)
        .take(Math.max(0, end - start))
        .map(view)
        .toArray(),
  }
}
