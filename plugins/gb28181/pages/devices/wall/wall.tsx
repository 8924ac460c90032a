import { ActionIcon, Box, Button, Group, Paper, SegmentedControl, VisuallyHidden } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { ScreenFullIcon } from '@primer/octicons-react'
import { useRef, type KeyboardEvent } from 'react'
import { isSameChannel, type NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { toggleFullScreen } from './full-screen.ts'
import { WallCell } from './wall-cell.tsx'
import { WALL_SIZES, type WallAction, type WallLayout, type WallSize } from './wall-layout.ts'
import { WALL_WORDS } from './wall-words.ts'

export type WallProps = {
  readonly wall: WallLayout
  readonly onChange: (action: WallAction) => void
  /** Called when a cell is chosen that has a channel. */
  readonly onChoose: (channel: NamedChannel) => void
}

/** The wall of live pictures: 1, 4, 9 or 16 of them. */
export function Wall({ wall, onChange, onChoose }: WallProps) {
  const words = useConsole().words(WALL_WORDS)
  const helpId = useId()
  const grid = useRef<HTMLDivElement>(null)
  const { size, cells, active } = wall
  const columns = Math.sqrt(size)

  const activate = (cell: number) => {
    onChange({ kind: 'activate', cell })
    const channel = cells[cell]
    if (channel !== undefined) onChoose(channel)
  }
  const drop = (channel: NamedChannel, cell: number) => {
    const from = cells.slice(0, size).findIndex((one) => isSameChannel(one, channel))
    onChange(from < 0 ? { kind: 'play', channel, cell } : { kind: 'swap', from, to: cell })
    onChoose(channel)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -columns,
      ArrowDown: columns,
    }
    const step = steps[event.key]
    const sizeOfKey = WALL_SIZES[Number(event.key) - 1]
    if (step !== undefined) activate(Math.max(0, Math.min(active + step, size - 1)))
    else if (event.key === 'Delete') onChange({ kind: 'close', cell: active })
    else if (event.key === 'f') toggleFullScreen(event.currentTarget.children[active] as HTMLElement)
    else if (sizeOfKey !== undefined) onChange({ kind: 'size', size: sizeOfKey })
    else return
    event.preventDefault()
  }
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Group justify="space-between" gap="xs" p="xs">
        <SegmentedControl
          size="xs"
          aria-label={words.sizes}
          value={String(size)}
          onChange={(value) => onChange({ kind: 'size', size: Number(value) as WallSize })}
          data={WALL_SIZES.map((count) => ({ value: String(count), label: String(count) }))}
        />
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            disabled={cells.every((channel) => channel === undefined)}
            onClick={() => onChange({ kind: 'closeAll' })}
          >
            {words.closeAll}
          </Button>
          <ActionIcon
            variant="default"
            aria-label={words.wallFullScreen}
            onClick={() => toggleFullScreen(grid.current)}
          >
            <ScreenFullIcon />
          </ActionIcon>
        </Group>
      </Group>
      <VisuallyHidden id={helpId}>{words.help}</VisuallyHidden>
      <Box
        ref={grid}
        role="group"
        aria-label={words.wall}
        aria-describedby={helpId}
        tabIndex={0}
        onKeyDown={onKeyDown}
        bg="dark.7"
        style={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridTemplateRows: `repeat(${columns}, minmax(0, 1fr))`,
          aspectRatio: '16 / 9',
        }}
      >
        {cells.slice(0, size).map((channel, index) => (
          <WallCell
            key={index}
            index={index}
            channel={channel}
            isActive={index === active}
            onActivate={() => activate(index)}
            onClose={() => onChange({ kind: 'close', cell: index })}
            onDrop={(dropped) => drop(dropped, index)}
          />
        ))}
      </Box>
    </Paper>
  )
}
