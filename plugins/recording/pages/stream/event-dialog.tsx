import { Button, Checkbox, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { BellIcon } from '@primer/octicons-react'
import { useState, type FormEvent } from 'react'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

const DEFAULT_SECONDS = 30
const MAX_SECONDS = 3600

type EventDialogProps = {
  readonly console: PageConsole
  readonly streamPath: string
  readonly onRecorded: () => void
}

/** A button with the dialog that records an event of a stream. */
export function EventDialog({ console, streamPath, onRecorded }: EventDialogProps) {
  const words = console.words(WORDS)
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [eventName, setName] = useState('')
  const [eventDesc, setDescription] = useState('')
  const [isHigh, setHigh] = useState(false)
  const [seconds, setSeconds] = useState({ before: DEFAULT_SECONDS, after: DEFAULT_SECONDS })
  const field = (name: keyof typeof seconds) => ({
    min: 0,
    max: MAX_SECONDS,
    value: seconds[name],
    onChange: (value: number | string) => setSeconds((given) => ({ ...given, [name]: Number(value) })),
  })
  const record = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const body = {
      streamPath,
      eventName,
      eventDesc,
      eventLevel: isHigh ? 'high' : 'low',
      beforeDuration: `${seconds.before}s`,
      afterDuration: `${seconds.after}s`,
    }
    if (await console.change(() => console.api.call('POST /mp4/api/event/start', { body }), words.eventRecorded)) {
      setOpen(false)
      onRecorded()
    }
    setBusy(false)
  }
  return (
    <>
      <Button variant="default" leftSection={<BellIcon />} onClick={() => setOpen(true)}>
        {words.recordEvent}
      </Button>
      <Modal
        closeButtonProps={{ 'aria-label': words.close }}
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={words.recordEvent}
      >
        <form onSubmit={(event) => void record(event)}>
          <Stack>
            <Text size="sm" c="dimmed">
              {words.eventText}
            </Text>
            <TextInput
              data-autofocus
              label={words.eventName}
              value={eventName}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <TextInput
              label={words.eventDescription}
              value={eventDesc}
              onChange={({ currentTarget }) => setDescription(currentTarget.value)}
            />
            <Group grow>
              <NumberInput label={words.before} {...field('before')} />
              <NumberInput label={words.after} {...field('after')} />
            </Group>
            <Checkbox
              label={words.important}
              description={words.importantText}
              checked={isHigh}
              onChange={({ currentTarget }) => setHigh(currentTarget.checked)}
            />
            <Button type="submit" loading={isBusy} disabled={eventName.trim() === ''}>
              {words.recordEvent}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
