import { Badge, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import { pageOf, TYPE_NAMES, type PageConsole } from '../page-console.ts'
import { RecordDialog } from './record-dialog.tsx'
import { RunningRecordings } from './running-recordings.tsx'
import { WORDS } from '../recordings-words.ts'

const PAGE_SIZE = 20
const REFRESH_MS = 15_000

/** The recordings that are being made, and the streams of which there are some. */
export function RecordedStreams({ console }: { readonly console: PageConsole }) {
  const words = console.words(WORDS)
  const { format } = console
  const { PageFrame, DataTable, Problem, SearchInput } = console.components
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(1)
  const { data, error, refresh } = console.useCall(
    'GET /api/record/{type}/catalog',
    { params: { type: 'any' }, query: { search, pageNum: page, pageSize: PAGE_SIZE } },
    { refreshMs: REFRESH_MS },
  )
  return (
    <PageFrame
      title={words.title}
      description={words.description}
      actions={console.user.mayChange && <RecordDialog console={console} />}
    >
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.running}
        </Title>
        <RunningRecordings console={console} />
      </Stack>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.recorded}
        </Title>
        <SearchInput
          label={words.search}
          onSearch={(text) => {
            setSearch(text)
            setPage(1)
          }}
        />
        {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
        {(error === undefined || data !== undefined) && (
          <DataTable
            label={words.recorded}
            rows={data?.data}
            rowKey={({ type, streamPath }) => `${type}/${streamPath}`}
            empty={search === '' ? words.recordedEmpty : words.recordedNotFound}
            onOpen={(row) => console.navigate(pageOf(row))}
            paging={{ page, pageSize: PAGE_SIZE, total: data?.total ?? 0, onPage: setPage }}
            columns={[
              { key: 'stream', title: words.stream, render: ({ streamPath }) => streamPath },
              {
                key: 'type',
                title: words.type,
                render: ({ type }) => (
                  <Badge variant="light" tt="none">
                    {TYPE_NAMES[type] ?? type}
                  </Badge>
                ),
              },
              { key: 'files', title: words.files, align: 'end', render: ({ count }) => format.number(count) },
              { key: 'size', title: words.size, align: 'end', render: ({ size }) => format.bytes(Number(size)) },
              { key: 'first', title: words.first, isMinor: true, render: ({ startTime }) => format.time(startTime) },
              { key: 'latest', title: words.latest, render: ({ endTime }) => format.time(endTime) },
            ]}
          />
        )}
      </Stack>
    </PageFrame>
  )
}
