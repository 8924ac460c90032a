import { Box } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { useState } from 'react'
import type { NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import type { GroupItem, TreeItem } from './tree-items.ts'
import { onTreeKey } from './tree-keys.ts'
import { TreeRowView } from './tree-row.tsx'
import type { TreeRow } from './tree-rows.ts'
import { TREE_WORDS } from './tree-words.ts'
import { ROW_HEIGHT, type useVisibleRows } from './visible-rows.ts'

export type TreeViewProps = {
  readonly rows: readonly TreeRow[]
  readonly visible: ReturnType<typeof useVisibleRows>
  readonly isChosen: (item: TreeItem) => boolean
  readonly onChoose: (item: TreeItem) => void
  readonly onToggle: (item: TreeItem) => void
  /** Called for a channel that is to be played. */
  readonly onPlay: (channel: NamedChannel) => void
  readonly onDropChannel: (channel: NamedChannel, group: GroupItem) => void
}

/** The rows of the tree, of which those are drawn that are seen. */
export function TreeView({ rows, visible, isChosen, onChoose, onToggle, onPlay, onDropChannel }: TreeViewProps) {
  const words = useConsole().words(TREE_WORDS)
  const id = useId()
  const { ref, onScroll, first, last, seen, reveal } = visible
  const [activeKey, setActiveKey] = useState('')
  const [hasFocus, setFocus] = useState(false)
  const found = rows.findIndex(({ key }) => key === activeKey)
  const active = found < 0 ? 0 : found

  const goTo = (index: number) => {
    const at = Math.max(0, Math.min(index, rows.length - 1))
    setActiveKey(rows[at]?.key ?? '')
    reveal(at)
  }
  const choose = ({ key, item }: TreeRow) => {
    setActiveKey(key)
    if (item !== undefined) onChoose(item)
  }
  const toggle = ({ item }: TreeRow) => item !== undefined && onToggle(item)
  const open = (row: TreeRow) => {
    choose(row)
    if (row.item?.kind === 'channel') onPlay(row.item)
    else if (row.isOpenable) toggle(row)
  }
  return (
    <Box
      ref={ref}
      role="tree"
      aria-label={words.tree}
      tabIndex={0}
      {...(active >= first && active < last && { 'aria-activedescendant': `${id}-${active}` })}
      onScroll={onScroll}
      onFocus={({ currentTarget }) => setFocus(currentTarget.matches(':focus-visible'))}
      onBlur={() => setFocus(false)}
      onKeyDown={(event) => {
        setFocus(true)
        onTreeKey(event, rows, active, seen, { goTo, toggle, open, choose })
      }}
      style={{ position: 'relative', overflowY: 'auto', flex: 1, minHeight: 0, outline: 'none' }}
    >
      <Box h={rows.length * ROW_HEIGHT} role="presentation">
        {rows.slice(first, last).map((row, offset) => (
          <TreeRowView
            key={row.key}
            id={`${id}-${first + offset}`}
            row={row}
            at={first + offset}
            isChosen={row.item !== undefined && isChosen(row.item)}
            isFocused={hasFocus && first + offset === active}
            onChoose={() => choose(row)}
            onToggle={() => toggle(row)}
            onOpen={() => open(row)}
            onDropChannel={onDropChannel}
          />
        ))}
      </Box>
    </Box>
  )
}
