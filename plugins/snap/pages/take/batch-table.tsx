import { Stack, Title } from '@mantine/core'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'

const REFRESH_MS = 4000

/** The batches that run; nothing where there are none. */
export function BatchTable({ console }: { readonly console: PageConsole }) {
  const words = console.words(WORDS)
  const { DataTable, ConfirmButton } = console.components
  const { data, refresh } = console.useCall('GET /snap/api/batches', undefined, { refreshMs: REFRESH_MS })
  if (data === undefined || data.data.length === 0) return null
  const stop = async (id: string) => {
    await console.change(() => console.api.call('POST /api/task/stop/{id}', { params: { id } }), words.stopped)
    await refresh()
  }
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {words.batches}
      </Title>
      <DataTable
        label={words.batches}
        rows={data.data}
        rowKey={({ id }) => id}
        empty=""
        columns={[
          { key: 'stream', title: words.stream, render: ({ streamPath }) => streamPath },
          {
            key: 'kind',
            title: words.kind,
            render: ({ isRecorded }) => (isRecorded ? words.kindRecorded : words.kindLive),
          },
          { key: 'count', title: words.count, align: 'end', render: ({ taken }) => console.format.number(taken) },
          {
            key: 'actions',
            title: words.actions,
            align: 'end',
            render: ({ id, streamPath }) => (
              <ConfirmButton
                question={words.stopQuestion(streamPath)}
                isDisabled={!console.user.mayChange}
                onConfirm={() => stop(id)}
              >
                {words.stop}
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Stack>
  )
}
