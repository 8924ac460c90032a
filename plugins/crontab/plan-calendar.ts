import { InvalidRequest } from 'sluice/sdk'

/** The hours of a week, one character each in a plan (api.md 8.5). */
export const HOURS_OF_WEEK = 168

const HOURS_OF_DAY = 24
const DAYS_OF_WEEK = 7
/** The time between possible starts of hours: clocks change at quarters of an hour, all over the world since 1972. */
const STEP_MS = 15 * 60_000
/** The time in which a next slot is searched: one that is skipped when clocks change comes a week later. */
const SEARCH_MS = 15 * HOURS_OF_DAY * 3_600_000
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/**
 * The calendar of a place: returns the hour of the week by its clocks at an instant (milliseconds since the Unix epoch), counted from
 * Sunday, 0:00.
 */
export type HourOfWeek = (instantMs: number) => number

/** The hours of a week in which a plan is on: 168 of them, that of Sunday, 0:00 first. */
export type WeekPlan = readonly boolean[]

/** A time within one day in which a plan is on without a break. */
export type Slot = {
  readonly startMs: number
  readonly endMs: number
  /** The day of the week, in English. */
  readonly weekday: string
  /** `09:00-10:00` by the clocks of the place; a day ends at 24:00. */
  readonly timeRange: string
}

/** The calendar of the machine, with its daylight saving time. */
export function localHourOfWeek(instantMs: number): number {
  const at = new Date(instantMs)
  return at.getDay() * HOURS_OF_DAY + at.getHours()
}

/**
 * Reads a plan (api.md 8.5): 168 characters, `1` for an hour that is on and `0` for one that is not.
 * @throws {InvalidRequest} when the text is malformed
 */
export function parsePlan(text: string): WeekPlan {
  const wrong = /[^01]/u.exec(text)
  if (wrong !== null)
    throw new InvalidRequest(`plan has ${JSON.stringify(wrong[0])} at ${wrong.index}: it takes 0 and 1`)
  if (text.length !== HOURS_OF_WEEK) {
    const want = `${HOURS_OF_WEEK} characters, one for each hour of the week from Sunday, 0:00`
    throw new InvalidRequest(`plan has ${text.length} characters, and needs ${want}`)
  }
  return Array.from(text, (hour) => hour === '1')
}

/** True when a plan is on at an instant. */
export function isOn(plan: WeekPlan, nowMs: number, hourOfWeek: HourOfWeek): boolean {
  return plan[hourOfWeek(nowMs)] === true
}

/**
 * The slots of the week of an instant, from Sunday on. An hour that is skipped when clocks change is in none; one that comes twice makes
 * its slot longer.
 */
export function slotsOfWeek(plan: WeekPlan, nowMs: number, hourOfWeek: HourOfWeek): Slot[] {
  return slotsOf(plan, weekOf(nowMs, hourOfWeek), hourOfWeek)
}

/** The slot of an instant; undefined when the plan is off. */
export function slotAt(slots: readonly Slot[], nowMs: number): Slot | undefined {
  return slots.find(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs)
}

/** The first slot that begins after an instant; undefined for a plan that is never on. */
export function nextSlot(plan: WeekPlan, nowMs: number, hourOfWeek: HourOfWeek): Slot | undefined {
  const untilMs = nowMs + SEARCH_MS
  let week = weekOf(nowMs, hourOfWeek)
  while (week.startMs < untilMs) {
    const found = slotsOf(plan, week, hourOfWeek).find(({ startMs }) => startMs > nowMs)
    if (found !== undefined) return found
    week = weekOf(week.endMs, hourOfWeek)
  }
  return undefined
}

type HourAt = { readonly ms: number; readonly hour: number }

/** The beginning and end of the week of an instant: weeks begin with the first hour of a Sunday. */
function weekOf(nowMs: number, hourOfWeek: HourOfWeek): { readonly startMs: number; readonly endMs: number } {
  const step = nowMs - (nowMs % STEP_MS)
  let startMs = step
  while (dayOf(startMs, hourOfWeek) !== 0 || dayOf(startMs - STEP_MS, hourOfWeek) === 0) startMs -= STEP_MS
  let endMs = step + STEP_MS
  while (dayOf(endMs, hourOfWeek) !== 0 || dayOf(endMs - STEP_MS, hourOfWeek) === 0) endMs += STEP_MS
  return { startMs, endMs }
}

function slotsOf(plan: WeekPlan, { startMs, endMs }: ReturnType<typeof weekOf>, hourOfWeek: HourOfWeek): Slot[] {
  const slots: Slot[] = []
  let first: HourAt | undefined
  let last = 0
  for (let ms = startMs; ms <= endMs; ms += STEP_MS) {
    const hour = hourOfWeek(ms)
    const goesOn = ms < endMs && plan[hour] === true
    if (first !== undefined && (!goesOn || dayOfHour(hour) !== dayOfHour(first.hour))) {
      slots.push(slot(first, { ms, hour: last }))
      first = undefined
    }
    if (goesOn) first ??= { ms, hour }
    last = hour
  }
  return slots
}

/** @param end the end of the slot, and the hour before it */
function slot(first: HourAt, end: HourAt): Slot {
  const timeRange = `${clock(first.hour % HOURS_OF_DAY)}-${clock((end.hour % HOURS_OF_DAY) + 1)}`
  return { startMs: first.ms, endMs: end.ms, weekday: WEEKDAYS[dayOfHour(first.hour)] ?? '', timeRange }
}

function dayOf(ms: number, hourOfWeek: HourOfWeek): number {
  return dayOfHour(hourOfWeek(ms))
}

function dayOfHour(hour: number): number {
  return Math.floor(hour / HOURS_OF_DAY) % DAYS_OF_WEEK
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}
