import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useCallback, useRef, useState, type UIEvent } from 'react'

/** The height of a row, in pixels. */
export const ROW_HEIGHT = 34
/** Rows that are drawn above and below those that are seen. */
const MARGIN_ROWS = 8

/** The rows of a long list that are seen while it is scrolled: only these are drawn. */
export function useVisibleRows(count: number) {
  const { ref: sizeRef, height } = useElementSize<HTMLDivElement>()
  const element = useRef<HTMLDivElement>(null)
  const ref = useMergedRef(sizeRef, element)
  const [top, setTop] = useState(0)

  const onScroll = ({ currentTarget }: UIEvent) => setTop(Math.floor(currentTarget.scrollTop / ROW_HEIGHT))
  const seen = Math.ceil(height / ROW_HEIGHT)
  const first = Math.max(0, Math.min(top, count - seen) - MARGIN_ROWS)
  const last = Math.min(count, top + seen + MARGIN_ROWS)

  const reveal = useCallback((index: number) => {
    const box = element.current
    if (box === null) return
    const at = index * ROW_HEIGHT
    if (at < box.scrollTop) box.scrollTop = at
    else if (at + ROW_HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = at + ROW_HEIGHT - box.clientHeight
  }, [])
  return { ref, onScroll, first, last, seen, reveal }
}
