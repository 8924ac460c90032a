import { Button, Popover, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { VIEWER_WORDS } from './viewer-words.ts'
import type { Viewer } from './viewer.ts'

type Props = {
  readonly console: Console<Paths>
  readonly viewer: Viewer
  readonly onChange: () => void
}

/** A button that gives a viewer another stream. */
export function MoveViewer({ console, viewer: { id }, onChange }: Props) {
  const { StreamPicker } = console.components
  const words = console.words(VIEWER_WORDS)
  const [isOpen, setOpen] = useState(false)
  const [written, setStreamPath] = useState('')
  const streamPath = written.trim()
  const move = async () => {
    const params = { id, streamPath }
    const isDone = await console.change(
      () => console.api.call('POST /api/subscribe/change/{id}/{streamPath}', { params }),
      words.moved(streamPath),
    )
    if (isDone) setOpen(false)
    onChange()
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus withArrow shadow="md" width={300} withinPortal>
      <Popover.Target>
        <Button size="xs" variant="default" aria-label={words.moveLabel(id)} onClick={() => setOpen(!isOpen)}>
          {words.move}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm">{words.moveText}</Text>
          <StreamPicker label={words.moveTo} value={written} onChange={setStreamPath} />
          <Button size="xs" disabled={streamPath === ''} onClick={() => void move()}>
            {words.move}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
