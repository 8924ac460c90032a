import { Card, Divider, Group, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { monthRange, type Month } from '../calendar.ts'
import { MonthCalendar } from './month-calendar.tsx'
import type { PageConsole, Subject } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

const REFRESH_MS = 30_000

type CalendarCardProps = {
  readonly console: PageConsole
  readonly subject: Subject
  readonly month: Month
  readonly onMonth: (month: Month) => void
  readonly chosen: string
  readonly onChoose: (date: string) => void
}

/** The month of a stream's recordings, and the space that they use. */
export function CalendarCard({ console, subject, month, onMonth, chosen, onChoose }: CalendarCardProps) {
  const words = console.words(WORDS)
  const { format } = console
  const { Problem } = console.components
  const { type, streamPath } = subject
  const { fromMs, toMs } = monthRange(month)
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const days = console.useCall(
    'GET /api/record/{type}/days/{streamPath}',
    { params: { type, streamPath }, query: { start: String(fromMs), end: String(toMs - 1), timeZone } },
    { refreshMs: REFRESH_MS },
  )
  const all = console.useCall(
    'GET /api/record/{type}/catalog',
    { params: { type }, query: { search: streamPath } },
    { refreshMs: REFRESH_MS },
  )
  const marked = useMemo(
    () => new Map(days.data?.data.map(({ date, count, size }) => [date, { count, sizeBytes: Number(size) }] as const)),
    [days.data],
  )
  const ofMonth = [...marked.values()].reduce((total, { sizeBytes }) => total + sizeBytes, 0)
  const ofAll = all.data?.data.find((entry) => entry.streamPath === streamPath)
  const figures = [
    [words.spaceOfDay, marked.get(chosen)?.sizeBytes ?? (days.data && 0)],
    [words.spaceOfMonth, days.data && ofMonth],
    [words.spaceOfAll, all.data && Number(ofAll?.size ?? 0)],
  ] as const
  return (
    <Card withBorder>
      <Stack gap="sm">
        <MonthCalendar
          console={console}
          month={month}
          onMonth={onMonth}
          chosen={chosen}
          onChoose={onChoose}
          marked={marked}
        />
        {days.error !== undefined && <Problem error={days.error} onRetry={() => void days.refresh()} />}
        <Divider />
        <Text size="sm" fw={600}>
          {words.size}
        </Text>
        {figures.map(([name, sizeBytes]) => (
          <Group key={name} justify="space-between">
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text size="sm" className="figures">
              {format.bytes(sizeBytes)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  )
}
