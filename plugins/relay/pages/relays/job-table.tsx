import { Anchor, Group, Stack, Text } from '@mantine/core'
import type { Paths } from 'sluice/api'
import type { Column, Console, DataTableProps } from 'sluice/sdk/console'
import type { Job, Kind } from './job.ts'
import { JobState } from './job-state.tsx'
import { WORDS } from './relays-words.ts'
import { StopButton } from './stop-button.tsx'

type Props = Pick<DataTableProps<Job>, 'rows' | 'empty' | 'paging'> & {
  readonly console: Console<Paths>
  readonly kind: Kind
  readonly onOpen: (job: Job) => void
  readonly onChanged: () => Promise<void>
}

/** The pulls or pushes of a page of the list. */
export function JobTable({ console, kind, rows, empty, paging, onOpen, onChanged }: Props) {
  const { DataTable } = console.components
  const words = console.words(WORDS)
  return (
    <DataTable<Job>
      label={words.parts[kind]}
      rows={rows}
      empty={empty}
      {...(paging && { paging })}
      rowKey={({ id }) => String(id)}
      onOpen={onOpen}
      columns={columnsOf({ console, kind, onChanged })}
    />
  )
}

/** A figure with its unit stays on one line. */
const FIGURE = { size: 'sm', style: { whiteSpace: 'nowrap' } } as const

function columnsOf({
  console,
  kind,
  onChanged,
}: Pick<Props, 'console' | 'kind' | 'onChanged'>): readonly Column<Job>[] {
  const { format } = console
  const words = console.words(WORDS)
  return [
    {
      key: 'state',
      title: words.state,
      render: (job) => (
        <Stack gap={2} maw={320}>
          <JobState job={job} kind={kind} words={words} />
          {job.state !== 'running' && job.lastError !== '' && (
            <Text size="xs" c="dimmed" lineClamp={3} title={job.lastError}>
              {words.failed(format.number(job.tries), job.lastError)}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'stream',
      title: words.stream,
      render: ({ streamPath }) => (
        <Anchor size="sm" {...console.link(console.streamPage(streamPath))} style={{ overflowWrap: 'anywhere' }}>
          {streamPath}
        </Anchor>
      ),
    },
    {
      key: 'address',
      title: words.address,
      render: ({ url }) => (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Text>
      ),
    },
    {
      key: 'origin',
      title: words.origin,
      isMinor: true,
      render: ({ origin }) => words.origins[origin] ?? origin,
    },
    {
      key: 'media',
      title: words.media,
      align: 'end',
      render: ({ bps, state }) => <Text {...FIGURE}>{state === 'running' ? format.bitrate(bps) : '–'}</Text>,
    },
    {
      key: 'sent',
      title: words.sent,
      align: 'end',
      isMinor: true,
      render: ({ bytes }) => <Text {...FIGURE}>{format.bytes(bytes)}</Text>,
    },
    {
      key: 'since',
      title: words.since,
      align: 'end',
      isMinor: true,
      render: ({ startTime }) => <Text {...FIGURE}>{format.duration(Date.now() - Date.parse(startTime))}</Text>,
    },
    {
      key: 'actions',
      title: words.actions,
      render: (job) => (
        <Group wrap="nowrap" onClick={(event) => event.stopPropagation()}>
          <StopButton console={console} kind={kind} job={job} onStopped={onChanged} />
        </Group>
      ),
    },
  ]
}
