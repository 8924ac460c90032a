import { Button, Group, NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core'
import { StackIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'

const MINUTE_MS = 60_000
const MAX_MINUTES = 24 * 60
const MAX_SECONDS = 86_400

type BatchDialogProps = {
  readonly console: PageConsole
  /** The stream that is offered. */
  readonly streamPath: string
}

/** A button with the dialog that begins to take many pictures. */
export function BatchDialog({ console, streamPath: offered }: BatchDialogProps) {
  const words = console.words(WORDS)
  const { FormDialog, StreamPicker } = console.components
  const [isOpen, setOpen] = useState(false)
  const [streamPath, setStreamPath] = useState(offered)
  const [isRecorded, setRecorded] = useState(false)
  const [minutes, setMinutes] = useState(60)
  const [granularity, setGranularity] = useState(60)
  const [time, setTime] = useState({ from: '', to: '' })
  const field = (name: keyof typeof time) => ({
    type: 'datetime-local',
    step: 1,
    value: time[name],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) =>
      setTime((before) => ({ ...before, [name]: value })),
  })
  const isWhole = streamPath !== '' && (!isRecorded || (time.from !== '' && time.to !== ''))
  const begin = async () => {
    const range = isRecorded
      ? { start: unixMs(time.from), end: unixMs(time.to) }
      : { end: String(Date.now() + minutes * MINUTE_MS) }
    const body = { ...range, granularity, isRecorded }
    await console.api.call('POST /snap/api/batch/{streamPath}', { params: { streamPath }, body })
    console.notify(words.begun)
  }
  return (
    <>
      <Button variant="default" leftSection={<StackIcon />} onClick={() => setOpen(true)}>
        {words.batch}
      </Button>
      {isOpen && (
        <FormDialog
          title={words.batch}
          submitText={words.begin}
          isReady={isWhole}
          onSubmit={begin}
          onClose={() => setOpen(false)}
        >
          <Text size="sm" c="dimmed">
            {words.batchText}
          </Text>
          <StreamPicker label={words.stream} value={streamPath} onChange={setStreamPath} />
          <SegmentedControl
            value={isRecorded ? 'recorded' : 'live'}
            onChange={(value) => setRecorded(value === 'recorded')}
            data={[
              { value: 'live', label: words.fromNow },
              { value: 'recorded', label: words.ofRecordings },
            ]}
          />
          {isRecorded ? (
            <Group grow>
              <TextInput label={words.from} {...field('from')} />
              <TextInput label={words.to} {...field('to')} />
            </Group>
          ) : (
            <NumberInput
              label={words.minutes}
              min={1}
              max={MAX_MINUTES}
              value={minutes}
              onChange={(value) => setMinutes(Number(value))}
            />
          )}
          <NumberInput
            label={words.interval}
            description={words.intervalText}
            min={0}
            max={MAX_SECONDS}
            value={granularity}
            onChange={(value) => setGranularity(Number(value))}
          />
        </FormDialog>
      )}
    </>
  )
}

/** The time of a field by the clocks of the browser. */
function unixMs(text: string): string {
  return String(new Date(text).getTime())
}
