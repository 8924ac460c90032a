import type { KeyboardEvent } from 'react'
import { parentIndex, type TreeRow } from './tree-rows.ts'

/** The effects of keys in a tree (WAI-ARIA Authoring Practices, tree view). */
export type TreeKeyEffects = {
  readonly goTo: (index: number) => void
  readonly toggle: (row: TreeRow) => void
  readonly open: (row: TreeRow) => void
  readonly choose: (row: TreeRow) => void
}

/** Does what a key means for the row that keys act on. */
export function onTreeKey(
  event: KeyboardEvent,
  rows: readonly TreeRow[],
  index: number,
  page: number,
  { goTo, toggle, open, choose }: TreeKeyEffects,
): void {
  const row = rows[index]
  if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  const effects: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(index + 1),
    ArrowUp: () => goTo(index - 1),
    PageDown: () => goTo(index + page),
    PageUp: () => goTo(index - page),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    ArrowRight: () => (row.isOpenable && !row.isOpen ? toggle(row) : goTo(row.isOpen ? index + 1 : index)),
    ArrowLeft: () => (row.isOpen ? toggle(row) : goTo(parentIndex(rows, index) ?? index)),
    Enter: () => open(row),
    ' ': () => choose(row),
  }
  const effect = effects[event.key]
  if (effect === undefined) return
  event.preventDefault()
  effect()
}
