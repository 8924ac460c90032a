import { Anchor, Badge, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { clockOf } from '../calendar.ts'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'
import type { RecordedEvent } from './use-day.ts'

type EventListProps = {
  readonly console: PageConsole
  readonly events: readonly RecordedEvent[] | undefined
  readonly onPick: (ms: number) => void
  /** A button above the list. */
  readonly action: ReactNode
}

/** The events of a day. */
export function EventList({ console, events, onPick, action }: EventListProps) {
  const words = console.words(WORDS)
  const { DataTable } = console.components
  return (
    <Stack gap="sm">
      {action !== undefined && <Group>{action}</Group>}
      <DataTable
        label={words.events}
        rows={events}
        rowKey={({ id }) => String(id)}
        empty={words.eventsEmpty}
        columns={[
          {
            key: 'time',
            title: words.time,
            render: ({ fromMs, toMs }) => (
              <Anchor component="button" size="sm" onClick={() => onPick(fromMs)}>
                {`${clockOf(fromMs)} – ${clockOf(toMs)}`}
              </Anchor>
            ),
          },
          { key: 'name', title: words.eventName, render: ({ name }) => name },
          { key: 'description', title: words.eventDescription, render: ({ description }) => description },
          {
            key: 'level',
            title: words.level,
            render: ({ isHigh }) => (
              <Badge variant="light" color={isHigh ? 'pink' : 'orange'} tt="none">
                {isHigh ? words.high : words.low}
              </Badge>
            ),
          },
        ]}
      />
    </Stack>
  )
}
