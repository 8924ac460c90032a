import { Button, Card, Group, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Column, Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { RECORDING_WORDS } from './recording-words.ts'
import type { ListedStream } from './stream-media.ts'

type Recording = ListedStream['recording'][number]
type Props = {
  readonly console: Console<Paths>
  readonly streamPath: string
  readonly recordings: readonly Recording[] | undefined
  readonly onChange: () => void
}

/** The formats that may be recorded in; each is a plugin. */
const TYPES = ['mp4', 'flv', 'hls'] as const
type RecordingType = (typeof TYPES)[number]

/** The running recordings of a stream, and buttons that begin and end them. */
export function StreamRecording({ console, streamPath, recordings, onChange }: Props) {
  const { DataTable } = console.components
  const words = console.words(RECORDING_WORDS)
  const [chosen, setType] = useState<string | null>(null)
  const [length, setLength] = useState('')
  const { data: system } = console.useCall('GET /api/sysinfo')
  const running = new Set(system?.data.plugins.map(({ name }) => name))
  const types = TYPES.filter((type) => running.has(type))
  const type = TYPES.find((one) => one === chosen) ?? types[0]
  const isReadOnly = !console.user.mayChange

  const change = async (action: () => Promise<unknown>, done: string) => {
    await console.change(action, done)
    onChange()
  }
  const start = (as: RecordingType) => {
    const body = length === '' ? {} : { fragment: length }
    return change(
      () => console.api.call(`POST /${as}/api/start/{streamPath}`, { params: { streamPath }, body }),
      words.started(as),
    )
  }
  const stop = (as: RecordingType) =>
    change(() => console.api.call(`POST /${as}/api/stop/{streamPath}`, { params: { streamPath } }), words.stopped(as))

  return (
    <Stack gap="md">
      <Card withBorder>
        <Group align="flex-end">
          <Select
            label={words.type}
            data={types.map((value) => ({ value, label: value.toUpperCase() }))}
            value={type ?? null}
            onChange={setType}
            allowDeselect={false}
            w={140}
          />
          <Select
            label={words.length}
            data={Object.entries(words.lengths).map(([value, label]) => ({ value, label }))}
            value={length}
            onChange={(value) => setLength(value ?? '')}
            allowDeselect={false}
            w={180}
          />
          <Button disabled={isReadOnly || type === undefined} onClick={() => type && void start(type)}>
            {words.start}
          </Button>
        </Group>
      </Card>
      <DataTable
        label={words.table}
        columns={columnsOf(console, streamPath, isReadOnly, stop)}
        rows={recordings}
        rowKey={({ pointer }) => pointer}
        empty={words.none}
      />
    </Stack>
  )
}

function columnsOf(
  console: Console<Paths>,
  streamPath: string,
  isReadOnly: boolean,
  stop: (type: RecordingType) => Promise<void>,
): readonly Column<Recording>[] {
  const { ConfirmButton } = console.components
  const words = console.words(RECORDING_WORDS)
  return [
    { key: 'type', title: words.type, render: ({ pluginName }) => pluginName.toUpperCase() },
    { key: 'mode', title: words.mode, render: ({ mode }) => words.modes[mode] ?? mode },
    { key: 'folder', title: words.folder, render: ({ filePath }) => filePath },
    {
      key: 'fragment',
      title: words.fragment,
      align: 'end',
      render: ({ fragment }) => (fragment === '0s' ? words.whole : fragment),
    },
    {
      key: 'stop',
      title: words.actions,
      align: 'end',
      render: ({ pluginName }) => {
        const type = TYPES.find((one) => one === pluginName)
        return (
          type !== undefined && (
            <ConfirmButton
              question={words.stopQuestion(type, streamPath)}
              label={words.stopLabel(type)}
              isDisabled={isReadOnly}
              onConfirm={() => stop(type)}
            >
              {words.stop}
            </ConfirmButton>
          )
        )
      },
    },
  ]
}
