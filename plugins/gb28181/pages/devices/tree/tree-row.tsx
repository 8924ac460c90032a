import { ActionIcon, Box, Skeleton, Text } from '@mantine/core'
import {
  ChevronDownIcon,
  ChevronRightIcon,
  DeviceCameraVideoIcon,
  FileDirectoryIcon,
  PlayIcon,
  ServerIcon,
} from '@primer/octicons-react'
import { useState, type DragEvent } from 'react'
import { dragChannel, droppedChannel, isChannelDragged, type NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { PAGE_WORDS } from '../page-words.ts'
import { StateIcon } from '../state-icon.tsx'
import type { GroupItem, TreeItem } from './tree-items.ts'
import type { TreeRow } from './tree-rows.ts'
import { TREE_WORDS } from './tree-words.ts'
import { ROW_HEIGHT } from './visible-rows.ts'

const INDENT = 16
const ICONS = {
  group: FileDirectoryIcon,
  device: ServerIcon,
  channel: DeviceCameraVideoIcon,
  folder: FileDirectoryIcon,
}

export type TreeRowProps = {
  readonly row: TreeRow
  readonly id: string
  /** The place among all rows. */
  readonly at: number
  readonly isChosen: boolean
  /** True for the row that keys act on, while the tree has the focus. */
  readonly isFocused: boolean
  readonly onChoose: () => void
  readonly onToggle: () => void
  readonly onOpen: () => void
  readonly onDropChannel: (channel: NamedChannel, group: GroupItem) => void
}

/** A row of the tree: a device, a channel, a group, or the place of one that has not come yet. */
export function TreeRowView({ row, id, at, isChosen, isFocused, onDropChannel, ...actions }: TreeRowProps) {
  const { item, level, setSize, index, isOpenable, isOpen } = row
  const [isOver, setOver] = useState(false)
  const group = item?.kind === 'group' ? item : undefined
  const drop = group !== undefined && {
    onDragOver(event: DragEvent) {
      if (!isChannelDragged(event.dataTransfer)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault()
      setOver(false)
      const channel = droppedChannel(event.dataTransfer)
      if (channel !== undefined) onDropChannel(channel, group)
    },
  }
  return (
    <Box
      id={id}
      role="treeitem"
      aria-level={level}
      aria-setsize={setSize}
      aria-posinset={index + 1}
      aria-selected={isChosen}
      aria-busy={item === undefined}
      {...(isOpenable && { 'aria-expanded': isOpen })}
      {...(item?.kind === 'channel' && {
        draggable: true,
        onDragStart: (event: DragEvent) => dragChannel(event.dataTransfer, item),
      })}
      {...drop}
      onClick={actions.onChoose}
      onDoubleClick={actions.onOpen}
      bg={
        isOver
          ? 'var(--mantine-primary-color-light-hover)'
          : isChosen
            ? 'var(--mantine-primary-color-light)'
            : 'transparent'
      }
      pl={(level - 1) * INDENT + 4}
      pr={4}
      style={{
        position: 'absolute',
        top: at * ROW_HEIGHT,
        left: 0,
        right: 0,
        height: ROW_HEIGHT,
        display: 'flex',
        alignItems: 'center',
        gap: 6,
        cursor: 'pointer',
        borderRadius: 'var(--mantine-radius-sm)',
        userSelect: 'none',
        ...(isFocused && { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: -2 }),
      }}
    >
      {item === undefined ? (
        <Skeleton height={12} ml={22} width="60%" />
      ) : (
        <Content row={row} item={item} {...actions} />
      )}
    </Box>
  )
}

function Content({
  row: { isOpenable, isOpen },
  item,
  onToggle,
  onOpen,
}: Pick<TreeRowProps, 'row' | 'onToggle' | 'onOpen'> & { readonly item: TreeItem }) {
  const words = useConsole().words(TREE_WORDS)
  const Icon = ICONS[item.kind]
  return (
    <>
      <Box w={16} style={{ flexShrink: 0, lineHeight: 0 }}>
        {isOpenable && (
          <Box
            aria-hidden
            onClick={(event) => {
              event.stopPropagation()
              onToggle()
            }}
          >
            {isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
          </Box>
        )}
      </Box>
      <Text component="span" c="dimmed" lh={0} aria-hidden>
        <Icon size={14} />
      </Text>
      <Text component="span" size="sm" truncate title={item.name} style={{ flex: 1, minWidth: 0 }}>
        {item.name}
        {item.kind === 'channel' && item.deviceName !== undefined && (
          <Text component="span" size="xs" c="dimmed" ml={6}>
            {item.deviceName}
          </Text>
        )}
      </Text>
      <Status item={item} />
      {item.kind === 'channel' && (
        <ActionIcon
          size="sm"
          variant="subtle"
          tabIndex={-1}
          aria-label={words.play(item.name)}
          onClick={(event) => {
            event.stopPropagation()
            onOpen()
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <PlayIcon size={14} />
        </ActionIcon>
      )}
    </>
  )
}

function Status({ item }: { readonly item: TreeItem }) {
  const console = useConsole()
  const { format } = console
  const tree = console.words(TREE_WORDS)
  const { states } = console.words(PAGE_WORDS)
  if (item.kind === 'group' || item.kind === 'folder') return null
  const count = item.kind === 'device' ? `${tree.channels(format.number(item.channelCount))} · ` : ''
  return (
    <Text
      component="span"
      size="xs"
      c="dimmed"
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4, flexShrink: 0 }}
    >
      {count}
      {states[item.state]}
      <StateIcon state={item.state} />
    </Text>
  )
}
