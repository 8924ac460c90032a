import { ActionIcon, Box, Group, SimpleGrid, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { ChevronLeftIcon, ChevronRightIcon } from '@primer/octicons-react'
import { dateOf, monthAfter, monthRange, weeksOf, type Month } from '../calendar.ts'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

export type MarkedDay = { readonly count: number; readonly sizeBytes: number }

type MonthCalendarProps = {
  readonly console: PageConsole
  readonly month: Month
  readonly onMonth: (month: Month) => void
  readonly chosen: string
  readonly onChoose: (date: string) => void
  /** The days with recordings, by their dates. */
  readonly marked: ReadonlyMap<string, MarkedDay>
}

const WEEKDAYS = 7
/** A month with six weeks keeps the place of others. */
const MOST_WEEKS = 6
const CELL_HEIGHT = 34

/** A month whose days with recordings are marked by a dot and a stronger text. */
export function MonthCalendar({ console, month, onMonth, chosen, onChoose, marked }: MonthCalendarProps) {
  const words = console.words(WORDS)
  const weeks = weeksOf(month)
  const title = new Intl.DateTimeFormat(localeOf(console), { month: 'long', year: 'numeric' })
  return (
    <Stack gap="xs" role="group" aria-label={words.calendar}>
      <Group justify="space-between">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.previousMonth}
          onClick={() => onMonth(monthAfter(month, -1))}
        >
          <ChevronLeftIcon />
        </ActionIcon>
        <Text fw={600} aria-live="polite">
          {title.format(monthRange(month).fromMs)}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.nextMonth}
          onClick={() => onMonth(monthAfter(month, 1))}
        >
          <ChevronRightIcon />
        </ActionIcon>
      </Group>
      <SimpleGrid cols={WEEKDAYS} spacing={2} verticalSpacing={2} mih={(MOST_WEEKS + 1) * (CELL_HEIGHT + 2)}>
        {weekdayNames(localeOf(console)).map((name) => (
          <Text key={name} size="xs" c="dimmed" ta="center" aria-hidden lh={`${CELL_HEIGHT}px`}>
            {name}
          </Text>
        ))}
        {weeks
          .flat()
          .map((date, index) =>
            date === undefined ? (
              <Box key={`none-${index}`} />
            ) : (
              <Day
                key={date}
                console={console}
                date={date}
                day={marked.get(date)}
                isChosen={date === chosen}
                onChoose={onChoose}
              />
            ),
          )}
      </SimpleGrid>
    </Stack>
  )
}

type DayProps = Pick<MonthCalendarProps, 'console' | 'onChoose'> & {
  readonly date: string
  readonly day: MarkedDay | undefined
  readonly isChosen: boolean
}

function Day({ console, date, day, isChosen, onChoose }: DayProps) {
  const isToday = date === dateOf(Date.now())
  const background = isChosen
    ? 'var(--mantine-primary-color-filled)'
    : day === undefined
      ? undefined
      : 'var(--mantine-primary-color-light)'
  const color = isChosen
    ? 'var(--mantine-primary-color-contrast)'
    : day === undefined
      ? 'var(--mantine-color-dimmed)'
      : 'var(--mantine-primary-color-light-color)'
  return (
    <UnstyledButton
      aria-pressed={isChosen}
      aria-current={isToday ? 'date' : undefined}
      onClick={() => onChoose(date)}
      h={CELL_HEIGHT}
      ta="center"
      fz="sm"
      fw={day === undefined ? 400 : 600}
      td={isToday ? 'underline' : undefined}
      style={{ background, color, borderRadius: 'var(--mantine-radius-sm)' }}
    >
      <span aria-hidden>{Number(date.slice(-2))}</span>
      <VisuallyHidden>{nameOf(console, date, day)}</VisuallyHidden>
    </UnstyledButton>
  )
}

function nameOf(console: PageConsole, date: string, day: MarkedDay | undefined): string {
  const words = console.words(WORDS)
  const shown = console.format.date(`${date}T00:00:00`)
  if (day === undefined) return words.dayWithout(shown)
  return day.count === 0 ? words.dayGoesOn(shown) : words.dayWith(shown, day.count, console.format.bytes(day.sizeBytes))
}

function localeOf({ language }: PageConsole): string {
  return language === 'zh' ? 'zh-CN' : 'en-GB'
}

/** From Monday on. */
function weekdayNames(locale: string): readonly string[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: 'short' })
  return weeksOf({ year: 2026, month: 5 })[0]!.map((date) => format.format(new Date(`${date}T12:00:00`)))
}
