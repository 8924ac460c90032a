/** A day by the clock of the user, in Unix milliseconds: 23 or 25 hours when clocks are changed. */
export type DayRange = { readonly startMs: number; readonly endMs: number }

/** A recording of a device, in Unix milliseconds. */
export type Recorded = {
  readonly startMs: number
  readonly endMs: number
  /** `time`, `alarm` or `manual`. */
  readonly type: string
  readonly name: string
}

/** A recording as its part of a day: shares from 0 to 1. */
export type Segment = { readonly left: number; readonly width: number; readonly type: string }

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/u
const HOUR_MS = 3_600_000

/** The day of a time, as `2026-01-31`. */
export function dayOf(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${time.getFullYear()}-${month}-${day}`
}

/** The range of a day that is written so; undefined for other texts. */
export function dayRange(day: string): DayRange | undefined {
  const [, year = '', month = '', date = ''] = DAY.exec(day) ?? []
  const start = new Date(Number(year), Number(month) - 1, Number(date))
  if (year === '' || dayOf(start) !== day) return undefined
  return { startMs: start.getTime(), endMs: new Date(Number(year), Number(month) - 1, Number(date) + 1).getTime() }
}

/** The day so many days later. */
export function dayAfter(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return dayOf(new Date(year, month - 1, date + days))
}

/** Recordings of an answer in their order; those without times that can be read are left out. */
export function recordedOf(
  records: readonly {
    readonly startTime: string
    readonly endTime: string
    readonly type: string
    readonly name: string
  }[],
): readonly Recorded[] {
  return records
    .map(({ startTime, endTime, type, name }) => {
      return { startMs: Date.parse(startTime), endMs: Date.parse(endTime), type, name }
    })
    .filter(({ startMs, endMs }) => endMs > startMs)
    .toSorted((one, other) => one.startMs - other.startMs)
}

/** Recordings as parts of a day. */
export function segmentsOf(recorded: readonly Recorded[], { startMs, endMs }: DayRange): readonly Segment[] {
  const lengthMs = endMs - startMs
  return recorded.flatMap((one) => {
    const [from, to] = [Math.max(one.startMs, startMs), Math.min(one.endMs, endMs)]
    return to <= from ? [] : [{ left: (from - startMs) / lengthMs, width: (to - from) / lengthMs, type: one.type }]
  })
}

/** The time at or after this one at which something is recorded, and the end of what is recorded that day; undefined for none. */
export function playableFrom(recorded: readonly Recorded[], fromMs: number): DayRange | undefined {
  const next = recorded.find(({ endMs }) => endMs > fromMs)
  if (next === undefined) return undefined
  return { startMs: Math.max(fromMs, next.startMs), endMs: Math.max(...recorded.map(({ endMs }) => endMs)) }
}

/** The full hours of a day, with their shares of it. */
export function hoursOf({ startMs, endMs }: DayRange): readonly { readonly hour: number; readonly left: number }[] {
  const hours: { hour: number; left: number }[] = []
  for (let atMs = startMs; atMs < endMs; atMs += HOUR_MS) {
    hours.push({ hour: new Date(atMs).getHours(), left: (atMs - startMs) / (endMs - startMs) })
  }
  return hours
}

/** A time of the day, as `08:30:00`. */
export function clockText(ms: number): string {
  const time = new Date(ms)
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** The time of a day at which its clock shows this, as `08:30` or `08:30:00`; undefined for other texts. */
export function timeInDay({ startMs }: DayRange, clock: string): number | undefined {
  const [, hour = '', minute = '', second = '0'] = /^(\d{2}):(\d{2})(?::(\d{2}))?$/u.exec(clock) ?? []
  if (hour === '') return undefined
  return new Date(startMs).setHours(Number(hour), Number(minute), Number(second))
}
