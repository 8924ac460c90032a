import { Button, Checkbox, Group, NumberInput, Text, TextInput } from '@mantine/core'
import { BellIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

const DEFAULT_SECONDS = 30
const MAX_SECONDS = 3600

type EventDialogProps = {
  readonly console: PageConsole
  readonly streamPath: string
  readonly onRecorded: () => Promise<void>
}

/** A button with the dialog that records an event of a stream. */
export function EventDialog({ console, streamPath, onRecorded }: EventDialogProps) {
  const words = console.words(WORDS)
  const { FormDialog } = console.components
  const [isOpen, setOpen] = useState(false)
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
  const record = async () => {
    const body = {
      streamPath,
      eventName,
      eventDesc,
      eventLevel: isHigh ? 'high' : 'low',
      beforeDuration: `${seconds.before}s`,
      afterDuration: `${seconds.after}s`,
    }
    await console.api.call('POST /mp4/api/event/start', { body })
    console.notify(words.eventRecorded)
    await onRecorded()
  }
  return (
    <>
      <Button size="xs" variant="light" leftSection={<BellIcon />} onClick={() => setOpen(true)}>
        {words.recordEvent}
      </Button>
      {isOpen && (
        <FormDialog
          title={words.recordEvent}
          submitText={words.recordEvent}
          isReady={eventName.trim() !== ''}
          onSubmit={record}
          onClose={() => setOpen(false)}
        >
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
        </FormDialog>
      )}
    </>
  )
}
