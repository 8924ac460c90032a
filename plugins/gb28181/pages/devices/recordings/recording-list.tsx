import { Button, Group, ScrollArea, Text } from '@mantine/core'
import { useConsole } from '../console-context.ts'
import { clockText, type Recorded } from './recorded-day.ts'
import { RECORDINGS_WORDS } from './recordings-words.ts'

const HEIGHT = 320

export type RecordingListProps = {
  /** Undefined while the device is asked. */
  readonly recorded: readonly Recorded[] | undefined
  readonly onPlay: (fromMs: number) => void
  /** Undefined for a user who may not. */
  readonly onDownload: ((recorded: Recorded) => void) | undefined
}

/** The recordings of a day, each to be played or downloaded. */
export function RecordingList({ recorded, onPlay, onDownload }: RecordingListProps) {
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
            render: (one) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={words.playFrom(clockText(one.startMs))}
                  onClick={() => onPlay(one.startMs)}
                >
                  {words.play}
                </Button>
                {onDownload !== undefined && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={words.downloadFrom(clockText(one.startMs))}
                    onClick={() => onDownload(one)}
                  >
                    {words.download}
                  </Button>
                )}
              </Group>
            ),
          },
        ]}
      />
    </ScrollArea.Autosize>
  )
}
