import { dayName, hourText, type PageConsole } from './page-console.ts'
import { WORDS } from './plans-words.ts'
import { dayGroups, DAYS_A_WEEK, HOURS_A_DAY, type DayGroup, type WeekHours } from './week-hours.ts'

/** The hours of a plan in words: `Mon–Fri 08:00–18:00; Sat–Sun not`. */
export function summaryText(console: PageConsole, hours: WeekHours): string {
  return dayGroups(hours)
    .map((group) => `${daysText(console, group)} ${slotsText(console, group)}`)
    .join('; ')
}

function daysText(console: PageConsole, { days }: DayGroup): string {
  if (days.length === DAYS_A_WEEK) return console.words(WORDS).every
  const ends = days.length === 1 ? days : [days[0] ?? 0, days.at(-1) ?? 0]
  return ends.map((day) => dayName(console, day, 'short')).join('–')
}

function slotsText(console: PageConsole, { slots }: DayGroup): string {
  const words = console.words(WORDS)
  const [first] = slots
  if (first === undefined) return words.neverOn
  if (first.from === 0 && first.to === HOURS_A_DAY) return words.wholeDays
  return slots.map(({ from, to }) => `${hourText(from)}–${hourText(to)}`).join(', ')
}
