import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { CheckIcon, DashIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import type { Column, Console } from 'sluice/sdk/console'
import { WORDS } from './alarms-words.ts'
import { EventFilter, type Filter } from './event-filter.tsx'
import { LevelMark } from './level-mark.tsx'
import { rangeOf } from './period.ts'

const PAGE_SIZE = 25
const REFRESH_MS = 4000
const TYPING_PAUSE_MS = 300
const ALL: Filter = { period: { kind: 'all' }, event: '', streamPath: '' }

type StoredEvent = Paths['GET /api/alarm/list']['answer']['data'][number]

/** The events that are stored, the newest first. */
export function EventList({ console }: { readonly console: Console<Paths> }) {
  const words = console.words(WORDS)
  const { DataTable, Problem } = console.components
  const [filter, setFilter] = useState(ALL)
  const [page, setPage] = useState(1)
  const [{ period, event, streamPath }] = useDebouncedValue(filter, TYPING_PAUSE_MS)
  const { data, error, refresh } = console.useCall(
    'GET /api/alarm/list',
    {
      query: {
        pageNum: page,
        pageSize: PAGE_SIZE,
        ...rangeOf(period),
        ...(event !== '' && { alarmName: event }),
        ...(streamPath.trim() !== '' && { streamPath: streamPath.trim() }),
      },
    },
    { refreshMs: REFRESH_MS },
  )
  const isAll = period.kind === 'all' && event === '' && streamPath.trim() === ''
  return (
    <Stack>
      <EventFilter
        console={console}
        filter={filter}
        further={data?.data.map(({ alarmName }) => alarmName) ?? []}
        onFilter={(next) => {
          setPage(1)
          setFilter(next)
        }}
      />
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {(error === undefined || data !== undefined) && (
        <DataTable<StoredEvent>
          label={words.parts.events}
          rows={data?.data}
          rowKey={({ id }) => String(id)}
          empty={isAll ? words.empty : words.notFound}
          paging={{ page, pageSize: PAGE_SIZE, total: data?.total ?? 0, onPage: setPage }}
          columns={columnsOf(console)}
        />
      )}
    </Stack>
  )
}

function columnsOf(console: Console<Paths>): readonly Column<StoredEvent>[] {
  const words = console.words(WORDS)
  const { format } = console
  return [
    {
      key: 'level',
      title: words.level,
      render: ({ alarmName }) => <LevelMark name={alarmName} words={words} />,
    },
    {
      key: 'time',
      title: words.time,
      render: ({ createdAt }) => (
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          {format.time(createdAt)}
        </Text>
      ),
    },
    {
      key: 'what',
      title: words.what,
      render: ({ alarmName, alarmDesc, filePath }) => (
        <Stack gap={2}>
          <Text size="sm" fw={500}>
            {words.events[alarmName] ?? alarmName}
          </Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {alarmDesc}
          </Text>
          {filePath !== '' && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {words.file}: {filePath}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'stream',
      title: words.stream,
      render: ({ streamPath }) =>
        streamPath === '' ? (
          '–'
        ) : (
          <Anchor size="sm" {...console.link(console.streamPage(streamPath))} style={{ overflowWrap: 'anywhere' }}>
            {streamPath}
          </Anchor>
        ),
    },
    {
      key: 'told',
      title: words.told,
      isMinor: true,
      render: ({ isSent, updatedAt }) => (
        <Group gap={6} wrap="nowrap">
          {isSent ? <CheckIcon size={14} /> : <DashIcon size={14} />}
          <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
            {isSent ? words.toldAt(format.time(updatedAt)) : words.notTold}
          </Text>
        </Group>
      ),
    },
  ]
}
