import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { pageOf, type PageConsole } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'
import { BatchDialog } from '../take/batch-dialog.tsx'
import { BatchTable } from '../take/batch-table.tsx'
import { TakeDialog } from '../take/take-dialog.tsx'
import { Album } from './album.tsx'

const PAGE_SIZE = 24
const REFRESH_MS = 5000
const STREAMS_MS = 30_000
/** The most streams of the list to choose from. */
const MOST_STREAMS = 500

type AlbumPageProps = { readonly console: PageConsole; readonly streamPath: string }

/** The pictures that are kept, and what takes some. */
export function AlbumPage({ console, streamPath }: AlbumPageProps) {
  const words = console.words(WORDS)
  const { PageFrame, Problem } = console.components
  const { mayChange } = console.user
  const [date, setDate] = useState('')
  const [page, setPage] = useState(1)
  const streams = console.useCall(
    'GET /snap/api/streams',
    { query: { pageNum: 1, pageSize: MOST_STREAMS } },
    { refreshMs: STREAMS_MS },
  )
  const { data, error, refresh } = console.useCall(
    'GET /snap/api/list/{streamPath}',
    { params: { streamPath }, query: { ...dayOf(date), pageNum: page, pageSize: PAGE_SIZE } },
    { refreshMs: REFRESH_MS },
  )
  const paths = new Set([
    ...(streams.data?.data ?? []).map((stream) => stream.streamPath),
    ...[streamPath].filter(Boolean),
  ])
  return (
    <PageFrame
      title={words.title}
      description={words.description}
      actions={
        mayChange && (
          <>
            <BatchDialog console={console} streamPath={streamPath} />
            <TakeDialog console={console} streamPath={streamPath} onTaken={refresh} />
          </>
        )
      }
    >
      <Group align="flex-end">
        <NativeSelect
          label={words.stream}
          w={260}
          value={streamPath}
          data={[{ value: '', label: words.allStreams }, ...paths]}
          onChange={({ currentTarget }) => console.navigate(pageOf(currentTarget.value))}
        />
        <TextInput
          type="date"
          label={words.day}
          w={180}
          value={date}
          onChange={({ currentTarget }) => {
            setDate(currentTarget.value)
            setPage(1)
          }}
        />
      </Group>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {(error === undefined || data !== undefined) && (
        <Album
          console={console}
          pictures={data?.data}
          total={data?.total ?? 0}
          page={page}
          pageSize={PAGE_SIZE}
          onPage={setPage}
          empty={streamPath === '' && date === '' ? words.empty : words.emptyFound}
          onChange={refresh}
        />
      )}
      <BatchTable console={console} />
    </PageFrame>
  )
}

/** The day by the clocks of the browser. */
function dayOf(date: string) {
  if (date === '') return {}
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number)
  const [fromMs, toMs] = [0, 1].map((days) => new Date(year, month - 1, day + days).getTime())
  return { start: String(fromMs), end: String((toMs ?? 0) - 1) }
}
