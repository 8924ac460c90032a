/** A time in milliseconds since the Unix epoch. */
export type TimeRange = { readonly fromMs: number; readonly toMs: number }

/** A day or a month by the clocks of the browser; months count from 0. */
export type Month = { readonly year: number; readonly month: number }

const DAYS_A_WEEK = 7

/** The day of a time: `2026-11-28`. */
export function dateOf(ms: number): string {
  const date = new Date(ms)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${day}`
}

/** From midnight to midnight: 23 or 25 hours where the clocks are changed. */
export function dayRange(date: string): TimeRange {
  const { year, month, day } = partsOf(date)
  return { fromMs: new Date(year, month, day).getTime(), toMs: new Date(year, month, day + 1).getTime() }
}

/** The day so many days later. */
export function dayAfter(date: string, days: number): string {
  const { year, month, day } = partsOf(date)
  return dateOf(new Date(year, month, day + days).getTime())
}

export function monthOf(date: string): Month {
  const { year, month } = partsOf(date)
  return { year, month }
}

/** The month so many months later. */
export function monthAfter({ year, month }: Month, months: number): Month {
  const date = new Date(year, month + months, 1)
  return { year: date.getFullYear(), month: date.getMonth() }
}

export function monthRange({ year, month }: Month): TimeRange {
  return { fromMs: new Date(year, month, 1).getTime(), toMs: new Date(year, month + 1, 1).getTime() }
}

/** The weeks of a month from Monday on; undefined for the days of its neighbours. */
export function weeksOf({ year, month }: Month): (string | undefined)[][] {
  const count = new Date(year, month + 1, 0).getDate()
  const before = (new Date(year, month, 1).getDay() + DAYS_A_WEEK - 1) % DAYS_A_WEEK
  const weeks = Math.ceil((before + count) / DAYS_A_WEEK)
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: DAYS_A_WEEK }, (__, weekday) => {
      const day = week * DAYS_A_WEEK + weekday - before + 1
      return day < 1 || day > count ? undefined : dateOf(new Date(year, month, day).getTime())
    }),
  )
}

/** The time of a day that a clock shows, `08:30:00`; undefined for what is none. */
export function timeOnDay(date: string, clock: string): number | undefined {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/u.exec(clock) ?? []
  if (hours === undefined || minutes === undefined) return undefined
  const { year, month, day } = partsOf(date)
  return new Date(year, month, day, Number(hours), Number(minutes), Number(seconds)).getTime()
}

/** `08:30:00`, or `08:30`. */
export function clockOf(ms: number, hasSeconds = true): string {
  const date = new Date(ms)
  const parts = [date.getHours(), date.getMinutes(), ...(hasSeconds ? [date.getSeconds()] : [])]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

function partsOf(date: string) {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number)
  return { year, month: month - 1, day }
}
