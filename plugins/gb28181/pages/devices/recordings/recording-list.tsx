import { Button, Group, ScrollArea, Text } from '@mantine/core'
import { useConsole } from '../console-context.ts'
import { clockText, type Recorded } from './recorded-day.ts'
import { RECORDINGS_WORDS } from './recordings-words.ts'

const HEIGHT = 320

export type RecordingListProps = {
  /** Undefined while the device is asked. */
  readonly recorded: readonly Recorded[] | undefined
  /** Undefined for a user who may look alone. */
  readonly actions: RecordingActions | undefined
}

type RecordingActions = {
  readonly play: (fromMs: number) => void
  readonly download: (recorded: Recorded) => void
}

/** The recordings of a day, each to be played or downloaded. */
export function RecordingList({ recorded, actions }: RecordingListProps) {
  const console = useConsole()
  const { components, format } = console
  const words = console.words(RECORDINGS_WORDS)
  const { DataTable } = components
  return (
    <ScrollArea.Autosize mah={HEIGHT} viewportProps={{ tabIndex: 0 }}>
      <DataTable
        label={words.list}
        rows={recorded}
        rowKey={({ startMs, endMs }) => `${startMs}-${endMs}`}
        empty={words.nothing}
        columns={[
          { key: 'from', title: words.from, render: ({ startMs }) => <Text size="sm">{clockText(startMs)}</Text> },
          { key: 'to', title: words.to, render: ({ endMs }) => <Text size="sm">{clockText(endMs)}</Text> },
          {
            key: 'length',
            title: words.length,
            isMinor: true,
            render: ({ startMs, endMs }) => format.duration(endMs - startMs),
          },
          { key: 'kind', title: words.kind, isMinor: true, render: ({ type }) => words.kinds[type] ?? type },
          {
            key: 'actions',
            title: '',
            align: 'end',
            render: (one) => actions !== undefined && <Actions recorded={one} {...actions} />,
          },
        ]}
      />
    </ScrollArea.Autosize>
  )
}

function Actions({ recorded, play, download }: RecordingActions & { readonly recorded: Recorded }) {
  const words = useConsole().words(RECORDINGS_WORDS)
  const from = clockText(recorded.startMs)
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        size="compact-xs"
        variant="default"
        aria-label={words.playFrom(from)}
        onClick={() => play(recorded.startMs)}
      >
        {words.play}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={words.downloadFrom(from)}
        onClick={() => download(recorded)}
      >
        {words.download}
      </Button>
    </Group>
  )
}
