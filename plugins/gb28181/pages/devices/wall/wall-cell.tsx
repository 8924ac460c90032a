import { ActionIcon, Box, Group, Text } from '@mantine/core'
import { ScreenFullIcon, XIcon } from '@primer/octicons-react'
import { useRef, useState, type DragEvent } from 'react'
import { dragChannel, droppedChannel, isChannelDragged, livePath, type NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { toggleFullScreen } from './full-screen.ts'
import { WALL_WORDS } from './wall-words.ts'

export type WallCellProps = {
  readonly index: number
  readonly channel: NamedChannel | undefined
  readonly isActive: boolean
  readonly onActivate: () => void
  readonly onClose: () => void
  readonly onDrop: (channel: NamedChannel) => void
}

/** A cell of the wall: the live pictures of a channel with its name above, or a free place. */
export function WallCell({ index, channel, isActive, onActivate, onClose, onDrop }: WallCellProps) {
  const console = useConsole()
  const words = console.words(WALL_WORDS)
  const { Player } = console.components
  const element = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)
  const isMarked = isActive || isOver
  return (
    <Box
      ref={element}
      role="group"
      aria-label={channel === undefined ? words.cell(index + 1) : words.cellOf(index + 1, channel.name)}
      aria-current={isActive}
      onClick={onActivate}
      onDoubleClick={() => channel !== undefined && toggleFullScreen(element.current)}
      onDragOver={(event: DragEvent) => {
        if (!isChannelDragged(event.dataTransfer)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => {
        event.preventDefault()
        setOver(false)
        const dropped = droppedChannel(event.dataTransfer)
        if (dropped !== undefined) onDrop(dropped)
      }}
      bg="dark.9"
      style={{
        position: 'relative',
        minWidth: 0,
        minHeight: 0,
        overflow: 'hidden',
        outline: `2px solid ${isMarked ? 'var(--mantine-primary-color-filled)' : 'transparent'}`,
        outlineOffset: -2,
      }}
    >
      {channel === undefined ? (
        <Group h="100%" justify="center" p="xs">
          <Text size="xs" c="gray.4" ta="center">
            {isActive ? words.emptyHint : words.empty}
          </Text>
        </Group>
      ) : (
        <>
          <Box pos="absolute" inset={0}>
            <Player key={livePath(channel)} streamPath={livePath(channel)} isPlain />
          </Box>
          <CellHead channel={channel} onClose={onClose} onFullScreen={() => toggleFullScreen(element.current)} />
        </>
      )}
      {/* The mark of the active cell lies above the picture. */}
      {isMarked && (
        <Box
          pos="absolute"
          inset={0}
          style={{ border: '2px solid var(--mantine-primary-color-filled)', pointerEvents: 'none' }}
        />
      )}
    </Box>
  )
}

type CellHeadProps = {
  readonly channel: NamedChannel
  readonly onClose: () => void
  readonly onFullScreen: () => void
}

/** The name of a channel and the buttons of its cell, above its pictures. */
function CellHead({ channel, onClose, onFullScreen }: CellHeadProps) {
  const words = useConsole().words(WALL_WORDS)
  return (
    <Group
      pos="absolute"
      top={0}
      left={0}
      right={0}
      gap={4}
      px={8}
      py={2}
      wrap="nowrap"
      draggable
      onDragStart={(event: DragEvent) => dragChannel(event.dataTransfer, channel)}
      style={{ background: 'rgb(0 0 0 / 70%)', cursor: 'grab' }}
    >
      <Text size="xs" c="white" truncate style={{ flex: 1, minWidth: 0 }}>
        {channel.name}
      </Text>
      <ActionIcon
        size="sm"
        variant="transparent"
        c="white"
        aria-label={words.fullScreen(channel.name)}
        onClick={onFullScreen}
      >
        <ScreenFullIcon size={14} />
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="transparent"
        c="white"
        aria-label={words.close(channel.name)}
        onClick={(event) => {
          event.stopPropagation()
          onClose()
        }}
      >
        <XIcon size={14} />
      </ActionIcon>
    </Group>
  )
}
