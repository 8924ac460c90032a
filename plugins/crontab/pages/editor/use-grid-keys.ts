import { useRef, useState, type KeyboardEvent } from 'react'

/** A place in a grid; -1 is that of the heads. */
export type GridPlace = { readonly row: number; readonly column: number }

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/**
 * The focus within a grid: it is one stop of the tab key, and arrows move in it.
 * @param onMove called where the focus goes while the shift key is held
 */
export function useGridKeys(rows: number, columns: number, onMove: (from: GridPlace, to: GridPlace) => void) {
  const [current, setCurrent] = useState<GridPlace>({ row: 0, column: 0 })
  const elements = useRef(new Map<string, HTMLElement>())
  const keyOf = ({ row, column }: GridPlace) => `${row}/${column}`

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    const to =
      step !== undefined
        ? { row: current.row + step[0], column: current.column + step[1] }
        : event.key === 'Home'
          ? { ...current, column: 0 }
          : event.key === 'End'
            ? { ...current, column: columns - 1 }
            : undefined
    if (to === undefined) return
    event.preventDefault()
    if (to.row < -1 || to.row >= rows || to.column < -1 || to.column >= columns) return
    if (event.shiftKey) onMove(current, to)
    setCurrent(to)
    elements.current.get(keyOf(to))?.focus()
  }
  /** The props of the element at a place. */
  const at = (place: GridPlace) => ({
    ref: (element: HTMLElement | null) => {
      if (element === null) elements.current.delete(keyOf(place))
      else elements.current.set(keyOf(place), element)
    },
    tabIndex: keyOf(place) === keyOf(current) ? 0 : -1,
    onFocus: () => setCurrent(place),
  })
  return { onKeyDown, at }
}
