import { Anchor, Group, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { WORDS } from './task-words.ts'

type Props = { readonly console: Console<Paths>; readonly words: (typeof WORDS)['en'] }

const PAGE_SIZE = 25
const REFRESH_MS = 5000

/** The tasks and sessions that have ended, by the runs of the server. */
export function EndedTasks({ console, words }: Props) {
  const { DataTable, Problem } = console.components
  const { format } = console
  const runs = console.useCall('GET /monitor/api/session/list')
  const [chosen, setChosen] = useState<string | null>(null)
  const [page, setPage] = useState(1)
  const newestFirst = (runs.data?.data ?? []).toSorted((one, other) => other.id - one.id)
  const run = chosen ?? (newestFirst[0] && String(newestFirst[0].id))
  const input = { params: { sessionId: Number(run) }, query: { pageNum: page, pageSize: PAGE_SIZE } }
  const operation = run === undefined ? undefined : 'GET /monitor/api/task/{sessionId}'
  const tasks = console.useCall(operation, input, { refreshMs: REFRESH_MS })
  const error = runs.error ?? tasks.error
  const isEmpty = runs.data?.data.length === 0
  return (
    <Stack gap="md">
      <Select
        label={words.run}
        w={{ base: '100%', sm: 320 }}
        value={run ?? null}
        allowDeselect={false}
        onChange={(id) => {
          setChosen(id)
          setPage(1)
        }}
        data={newestFirst.map(({ id, startTime }, index) => ({
          value: String(id),
          label: words.runOf(format.time(startTime), index === 0),
        }))}
      />
      {error !== undefined && <Problem error={error} onRetry={() => void tasks.refresh()} />}
      <DataTable
        label={words.history}
        rows={isEmpty ? [] : tasks.data?.data}
        rowKey={({ id, endTime }) => `${id} ${endTime}`}
        empty={
          <Group gap={4} justify="center">
            {words.noHistory} {words.howHistory}
            <Anchor size="sm" {...console.link('/config/global')} underline="always">
              {words.config}
            </Anchor>
          </Group>
        }
        columns={[
          { key: 'owner', title: words.owner, render: ({ owner }) => owner },
          { key: 'reason', title: words.reason, render: ({ reason }) => reason },
          { key: 'started', title: words.started, render: ({ startTime }) => format.time(startTime) },
          {
            key: 'lasted',
            title: words.lasted,
            align: 'end',
            render: ({ startTime, endTime }) =>
              format.duration(new Date(endTime).getTime() - new Date(startTime).getTime()),
          },
          {
            key: 'details',
            title: words.detail,
            isMinor: true,
            render: ({ description }) => (
              <Text size="xs" c="dimmed">
                {detailsOf(description)}
              </Text>
            ),
          },
        ]}
        paging={{ page, pageSize: PAGE_SIZE, total: tasks.data?.total ?? 0, onPage: setPage }}
      />
    </Stack>
  )
}

/** @param json an object of texts */
function detailsOf(json: string): string {
  try {
    return Object.entries(JSON.parse(json) as Readonly<Record<string, string>>)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ')
  } catch {
    return json
  }
}
