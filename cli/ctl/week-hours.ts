import { isDeepStrictEqual } from 'node:util'
import { UsageError } from '../command-error.ts'

/** The length of a plan (api.md 8.5): one character for each hour of the week, from Sunday, 0:00, on. */
const HOURS_OF_WEEK = 168
const HOURS_OF_DAY = 24
const DAYS_OF_WEEK = 7
/** The days in the order in which people name them. */
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const LONG_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const EVERY_DAY = { first: 0, last: DAYS_OF_WEEK - 1 }
const EVERY_HOUR = { start: 0, end: HOURS_OF_DAY }

/** Days of the week from `first` to `last`, both included, from Monday as 0; over the end of the week when `last` is before `first`. */
type DayRange = { readonly first: number; readonly last: number }
/** Hours of a day, from `start` up to `end`, which is on the next day when it is not after `start`. */
type HourRange = { readonly start: number; readonly end: number }

/**
 * Parses hours of the week as a person writes them: `mon-fri 8-18, sat 10-14`, `22-6`, `sun`, `always`, `never`; or a plan.
 * @returns the 168 characters of a plan
 * @throws {UsageError} when the text has no hours of the week
 */
export function parseWeekHours(text: string): string {
  const written = text.trim().toLowerCase()
  if (new RegExp(`^[01]{${HOURS_OF_WEEK}}$`, 'u').test(written)) return written
  const hours = Array.from({ length: HOURS_OF_WEEK }, () => written === 'always')
  if (written === 'always' || written === 'never') return planOf(hours)
  for (const part of written.split(',')) {
    const { days, during } = partOf(part.trim(), text)
    const length = (during.end - during.start + HOURS_OF_DAY) % HOURS_OF_DAY || HOURS_OF_DAY
    for (let day = days.first; ; day = (day + 1) % DAYS_OF_WEEK) {
      for (let hour = 0; hour < length; hour += 1) {
        hours[(day * HOURS_OF_DAY + during.start + hour) % HOURS_OF_WEEK] = true
      }
      if (day === days.last) break
    }
  }
  return planOf(hours)
}

/** Formats the hours of a plan as {@link parseWeekHours} parses them, in the fewest words; returns other texts as they are. */
export function weekHoursText(plan: string): string {
  if (!new RegExp(`^[01]{${HOURS_OF_WEEK}}$`, 'u').test(plan)) return plan
  if (!plan.includes('0')) return 'always'
  if (!plan.includes('1')) return 'never'
  // The hours from Monday on.
  const week = plan.slice(HOURS_OF_DAY) + plan.slice(0, HOURS_OF_DAY)
  const days = DAYS.map((_, day) => dayText(week.slice(day * HOURS_OF_DAY, (day + 1) * HOURS_OF_DAY)))
  const parts: string[] = []
  for (let first = 0, next = 1; first < DAYS_OF_WEEK; first = next, next = first + 1) {
    while (next < DAYS_OF_WEEK && isDeepStrictEqual(days[next], days[first])) next += 1
    const names = next - first === 1 ? DAYS[first] : `${DAYS[first]}-${DAYS[next - 1]}`
    parts.push(...(days[first] ?? []).map((range) => (range === '' ? `${names}` : `${names} ${range}`)))
  }
  return parts.join(', ')
}

/** Returns the ranges of a day's hours; an empty range is the whole day. */
function dayText(hours: string): string[] {
  if (!hours.includes('0')) return ['']
  return [...hours.matchAll(/1+/gu)].map(({ index, 0: run }) => `${index}-${index + run.length}`)
}

function partOf(part: string, whole: string): { readonly days: DayRange; readonly during: HourRange } {
  const words = part.split(/\s+/u)
  const [first = '', second] = words
  const days = dayRange(first)
  const hours = second ?? (days === undefined ? first : undefined)
  const during = hours === undefined ? EVERY_HOUR : hourRange(hours)
  if (words.length > 2 || during === undefined || (second !== undefined && days === undefined)) throw noHours(whole)
  return { days: days ?? EVERY_DAY, during }
}

function dayRange(text: string): DayRange | undefined {
  const days = text.split('-').map((name) => Math.max(DAYS.indexOf(name), LONG_DAYS.indexOf(name)))
  const [first = 0, last = first] = days
  return days.length > 2 || days.includes(-1) ? undefined : { first, last }
}

function hourRange(text: string): HourRange | undefined {
  const [start, end] = /^(\d{1,2})(?::00)?-(\d{1,2})(?::00)?$/u.exec(text)?.slice(1).map(Number) ?? []
  if (start === undefined || end === undefined || start >= HOURS_OF_DAY || end > HOURS_OF_DAY) return undefined
  return { start, end }
}

/** Returns the plan of hours. @param hours the hours of the week, from Monday on */
function planOf(hours: readonly boolean[]): string {
  const sunday = HOURS_OF_WEEK - HOURS_OF_DAY
  return [...hours.slice(sunday), ...hours.slice(0, sunday)].map((isOn) => (isOn ? '1' : '0')).join('')
}

function noHours(text: string): UsageError {
  return new UsageError(`"${text}" are no hours of the week; these are: "mon-fri 8-18, sat 10-14", "22-6", "always"`)
}
