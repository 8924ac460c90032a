import { Grid } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { dayAfter, monthOf } from '../calendar.ts'
import { CalendarCard } from './calendar-card.tsx'
import { DayView } from './day-view.tsx'
import { titleOf, type PageConsole, type Subject } from '../page-console.ts'
import { usePlugins } from './use-plugins.ts'

type RecordedDayProps = {
  readonly console: PageConsole
  readonly subject: Subject
  readonly description: ReactNode
  readonly firstDate: string
}

/** A day of a stream's recordings, and the calendar by which another is chosen. */
export function RecordedDay({ console, subject, description, firstDate }: RecordedDayProps) {
  const { PageFrame } = console.components
  const plugins = usePlugins(console)
  const [date, setDate] = useState(firstDate)
  const [month, setMonth] = useState(monthOf(firstDate))
  const choose = (chosen: string) => {
    setDate(chosen)
    setMonth(monthOf(chosen))
  }
  return (
    <PageFrame title={titleOf(subject)} description={description}>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8, xl: 9 }}>
          <DayView
            key={date}
            console={console}
            subject={subject}
            date={date}
            plugins={plugins}
            onDay={(days) => choose(dayAfter(date, days))}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4, xl: 3 }}>
          <CalendarCard
            console={console}
            subject={subject}
            month={month}
            onMonth={setMonth}
            chosen={date}
            onChoose={choose}
          />
        </Grid.Col>
      </Grid>
    </PageFrame>
  )
}
