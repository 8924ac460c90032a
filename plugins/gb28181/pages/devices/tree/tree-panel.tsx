import { Group, Paper, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import type { NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import type { Place } from '../place.ts'
import { useGroupChanges } from './group-changes.ts'
import { TreeActions } from './tree-actions.tsx'
import { keyOfItem, type TreeItem } from './tree-items.ts'
import { TreeView } from './tree-view.tsx'
import { TREE_WORDS } from './tree-words.ts'
import { useTree, type TreeMode } from './use-tree.ts'

export type TreePanelProps = {
  readonly place: Place
  readonly height: number | string
  readonly onChoose: (place: Place) => void
  readonly onPlay: (channel: NamedChannel) => void
}

/** The tree of devices and channels, with a search, and what can be done to its groups. */
export function TreePanel({ place, height, onChoose, onPlay }: TreePanelProps) {
  const console = useConsole()
  const words = console.words(TREE_WORDS)
  const { Problem, SearchInput } = console.components
  const [mode, setMode] = useState<TreeMode>('devices')
  const [search, setSearch] = useState('')
  const [item, setItem] = useState<TreeItem>()
  const { rows, visible, error, groups, toggle, refresh } = useTree(mode, search, place.deviceId)
  const changes = useGroupChanges(refresh)
  const isEmpty = rows.every(({ item: one }) => one?.kind === 'folder')

  const isChosen = (one: TreeItem) => {
    if (one.kind === 'device') return place.channelId === undefined && one.deviceId === place.deviceId
    if (one.kind === 'channel') return one.deviceId === place.deviceId && one.channelId === place.channelId
    return item !== undefined && keyOfItem(one) === keyOfItem(item)
  }
  const choose = (one: TreeItem) => {
    setItem(one)
    if (one.kind === 'device') onChoose({ deviceId: one.deviceId })
    if (one.kind === 'channel') onChoose({ deviceId: one.deviceId, channelId: one.channelId })
  }
  return (
    <Paper withBorder p="xs" h={height} style={{ display: 'flex', flexDirection: 'column', gap: 8, minWidth: 0 }}>
      <SearchInput label={words.search} onSearch={setSearch} />
      <Group gap="xs" wrap="nowrap">
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={words.tree}
          value={mode}
          onChange={(value) => setMode(value)}
          data={[
            { value: 'devices', label: words.byDevice },
            { value: 'groups', label: words.byGroup },
          ]}
          style={{ flex: 1 }}
        />
        {console.user.mayChange && <TreeActions item={item} groups={groups} changes={changes} />}
      </Group>
      {error !== undefined && rows.length === 0 && <Problem error={error} onRetry={refresh} />}
      {isEmpty && (
        <Text size="sm" c="dimmed" ta="center" p="md">
          {search === '' && mode === 'groups' ? words.noGroups : words.nothing}
        </Text>
      )}
      <TreeView
        rows={rows}
        visible={visible}
        isChosen={isChosen}
        onChoose={choose}
        onToggle={toggle}
        onPlay={onPlay}
        onDropChannel={(channel, group) => void console.change(() => changes.addChannel(group, channel))}
      />
    </Paper>
  )
}
