import { Badge } from '@mantine/core'
import { useState } from 'react'
import { TYPE_NAMES, type PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

const PAGE_SIZE = 10
const REFRESH_MS = 3000

/** The recordings that are being made, each with a button that ends it. */
export function RunningRecordings({ console }: { readonly console: PageConsole }) {
  const words = console.words(WORDS)
  const { format } = console
  const { DataTable, ConfirmButton, Problem } = console.components
  const [page, setPage] = useState(1)
  const query = { pageNum: page, pageSize: PAGE_SIZE }
  const { data, error, refresh } = console.useCall('GET /api/record/list', { query }, { refreshMs: REFRESH_MS })
  if (error !== undefined && data === undefined) return <Problem error={error} onRetry={() => void refresh()} />
  const stop = async (id: string) => {
    await console.change(() => console.api.call('POST /api/task/stop/{id}', { params: { id } }), words.stopped)
    await refresh()
  }
  return (
    <DataTable
      label={words.running}
      rows={data?.data}
      rowKey={({ pointer }) => pointer}
      empty={words.runningEmpty}
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
        { key: 'since', title: words.since, render: ({ startTime }) => format.time(startTime) },
        {
          key: 'actions',
          title: words.actions,
          align: 'end',
          render: ({ streamPath, pointer }) => (
            <ConfirmButton
              question={words.stopQuestion(streamPath)}
              isDisabled={!console.user.mayChange}
              onConfirm={() => stop(pointer)}
            >
              {words.stop}
            </ConfirmButton>
          ),
        },
      ]}
    />
  )
}
