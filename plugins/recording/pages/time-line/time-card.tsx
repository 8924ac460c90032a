import { ActionIcon, Box, Button, Card, Group, Stack, Text } from '@mantine/core'
import { ChevronLeftIcon, ChevronRightIcon, ZoomInIcon, ZoomOutIcon } from '@primer/octicons-react'
import type { ReactNode } from 'react'
import type { TimeRange } from '../calendar.ts'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'
import { TimeLine } from './time-line.tsx'
import { zoomed, type Span } from './time-scale.ts'
import type { RecordedEvent, RecordedTag } from '../stream/use-day.ts'

const TITLE = { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' } as const

type TimeCardProps = {
  readonly console: PageConsole
  readonly date: string
  readonly day: TimeRange
  readonly view: TimeRange
  readonly onView: (view: TimeRange) => void
  /** Called with the number of days to go on or back. */
  readonly onDay: (days: number) => void
  readonly spans: readonly Span[]
  readonly events: readonly RecordedEvent[]
  readonly tags: readonly RecordedTag[]
  readonly atMs: number
  readonly onPick: (ms: number) => void
  /** Buttons beside those of the zoom. */
  readonly actions: ReactNode
}

/** The time line of a day with its buttons, and the meaning of its colours. */
export function TimeCard({ console, date, day, view, onView, onDay, actions, ...line }: TimeCardProps) {
  const words = console.words(WORDS)
  const zoom = (factor: number) => onView(zoomed(view, day, factor, line.atMs))
  const isWhole = view.fromMs === day.fromMs && view.toMs === day.toMs
  const title = new Intl.DateTimeFormat(console.language === 'zh' ? 'zh-CN' : 'en-GB', TITLE)
  const legend = [
    [words.legendRecorded, 'var(--mantine-primary-color-filled)'],
    [words.legendActive, 'var(--mantine-color-red-filled)'],
    [words.legendEvent, 'var(--mantine-color-orange-filled)'],
    [words.legendHigh, 'var(--mantine-color-pink-filled)'],
    [words.legendTag, 'var(--mantine-color-violet-filled)'],
  ] as const
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap={4} wrap="nowrap">
            <ActionIcon variant="subtle" color="gray" aria-label={words.previousDay} onClick={() => onDay(-1)}>
              <ChevronLeftIcon />
            </ActionIcon>
            <Text fw={600}>{title.format(new Date(`${date}T12:00:00`))}</Text>
            <ActionIcon variant="subtle" color="gray" aria-label={words.nextDay} onClick={() => onDay(1)}>
              <ChevronRightIcon />
            </ActionIcon>
          </Group>
          <Group gap={4}>
            <ActionIcon
              variant="default"
              size={30}
              aria-label={words.zoomOut}
              disabled={isWhole}
              onClick={() => zoom(2)}
            >
              <ZoomOutIcon />
            </ActionIcon>
            <ActionIcon variant="default" size={30} aria-label={words.zoomIn} onClick={() => zoom(0.5)}>
              <ZoomInIcon />
            </ActionIcon>
            <Button size="xs" variant="default" disabled={isWhole} onClick={() => onView(day)}>
              {words.wholeDay}
            </Button>
            {actions}
          </Group>
        </Group>
        <TimeLine
          label={words.timeLine}
          description={words.timeLineText}
          eventLabel={words.legendEvent}
          tagLabel={words.legendTag}
          day={day}
          view={view}
          onView={onView}
          {...line}
        />
        <Group gap="md">
          {legend.map(([name, color]) => (
            <Group key={name} gap={6}>
              <Box w={10} h={10} bg={color} style={{ borderRadius: 2 }} />
              <Text size="xs" c="dimmed">
                {name}
              </Text>
            </Group>
          ))}
        </Group>
      </Stack>
    </Card>
  )
}
