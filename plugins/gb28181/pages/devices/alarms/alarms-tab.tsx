import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useConsole } from '../console-context.ts'
import { ALARM_WORDS } from './alarm-words.ts'

const PAGE_SIZE = 20
const REFRESH_MS = 5000

/** The alarms that a device has told, the newest first. */
export function AlarmsTab({ deviceId, isOnline }: { readonly deviceId: string; readonly isOnline: boolean }) {
  const console = useConsole()
  const words = console.words(ALARM_WORDS)
  const { DataTable, Problem } = console.components
  const [page, setPage] = useState(1)
  const params = { deviceId }
  const { data, error, refresh } = console.useCall(
    'GET /gb28181/api/alarms/{deviceId}',
    { params, query: { page, count: PAGE_SIZE } },
    { refreshMs: REFRESH_MS },
  )
  const ask = () =>
    console.change(() => console.api.call('GET /gb28181/api/alarm/query/{deviceId}', { params }), words.asked)
  return (
    <Stack gap="sm">
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {(error === undefined || data !== undefined) && (
        <DataTable
          label={words.alarms}
          rows={data?.data}
          rowKey={({ id }) => id}
          empty={words.none}
          paging={{ page, pageSize: PAGE_SIZE, total: data?.total ?? 0, onPage: setPage }}
          columns={[
            { key: 'time', title: words.time, render: ({ alarmTime }) => console.format.time(alarmTime) },
            {
              key: 'method',
              title: words.method,
              render({ alarmMethod, alarmType, alarmTypeDesc }) {
                const type = words.type(alarmMethod, alarmType, alarmTypeDesc)
                return [words.methods[alarmMethod] ?? alarmMethod, type].filter((text) => text !== '').join(', ')
              },
            },
            {
              key: 'priority',
              title: words.priority,
              render: ({ alarmPriority }) => words.priorities[alarmPriority] ?? alarmPriority,
            },
            { key: 'text', title: words.text, render: ({ alarmDescription }) => alarmDescription || '–' },
            { key: 'channel', title: words.channel, isMinor: true, render: ({ channelId }) => channelId || '–' },
          ]}
        />
      )}
      {console.user.mayChange && isOnline && (
        <Group>
          <Button size="xs" variant="default" onClick={() => void ask()}>
            {words.ask}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
