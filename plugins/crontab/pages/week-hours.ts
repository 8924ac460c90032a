/** The hours of a week that are on: 168 of them, that of Sunday, 0:00 first, as the server's plans have them. */
export type WeekHours = readonly boolean[]

/** An hour of the week: days count from Sunday, 0. */
export type HourAt = { readonly day: number; readonly hour: number }

/** A time of one day, in hours: `{ from: 8, to: 18 }`. */
export type DaySlot = { readonly from: number; readonly to: number }

/** Days one after another that have the same slots. */
export type DayGroup = { readonly days: readonly number[]; readonly slots: readonly DaySlot[] }

export const HOURS_A_DAY = 24
export const DAYS_A_WEEK = 7
/** The days as they are shown: Monday first. */
export const DAYS_SHOWN = [1, 2, 3, 4, 5, 6, 0] as const

const HOURS_A_WEEK = HOURS_A_DAY * DAYS_A_WEEK
const SATURDAY = 6

export type Preset = 'always' | 'working' | 'nights' | 'none'

const PRESETS: Readonly<Record<Preset, (at: HourAt) => boolean>> = {
  always: () => true,
  working: ({ day, hour }) => day > 0 && day < SATURDAY && hour >= 8 && hour < 18,
  nights: ({ hour }) => hour >= 22 || hour < 6,
  none: () => false,
}

export function indexOf({ day, hour }: HourAt): number {
  return day * HOURS_A_DAY + hour
}

/** Reads a plan of the server; hours that it has not are off. */
export function readHours(text: string): WeekHours {
  return Array.from({ length: HOURS_A_WEEK }, (_, index) => text[index] === '1')
}

export function hoursText(hours: WeekHours): string {
  return hours.map((isOn) => (isOn ? '1' : '0')).join('')
}

export function presetHours(preset: Preset): WeekHours {
  return made(PRESETS[preset])
}

/** Paints all hours between two, which are the corners of a rectangle of days as they are shown, and hours. */
export function painted(hours: WeekHours, from: HourAt, to: HourAt, isOn: boolean): WeekHours {
  const [firstDay, lastDay] = sorted(placeOfDay(from.day), placeOfDay(to.day))
  const [first, last] = sorted(from.hour, to.hour)
  return changed(hours, ({ day, hour }) => {
    const place = placeOfDay(day)
    return place >= firstDay && place <= lastDay && hour >= first && hour <= last ? isOn : undefined
  })
}

/** Turns hours on, or off where all of them are on. */
export function toggled(hours: WeekHours, isMeant: (at: HourAt) => boolean): WeekHours {
  const isOn = !hours.every((isOnNow, index) => isOnNow || !isMeant(hourAt(index)))
  return changed(hours, (at) => (isMeant(at) ? isOn : undefined))
}

/** Gives days the hours of another. */
export function copied(hours: WeekHours, fromDay: number, toDays: readonly number[]): WeekHours {
  return changed(hours, ({ day, hour }) =>
    toDays.includes(day) ? hours[indexOf({ day: fromDay, hour })] === true : undefined,
  )
}

export function countOf(hours: WeekHours): number {
  return hours.filter(Boolean).length
}

/** The slots of a week, with days together that have the same. */
export function dayGroups(hours: WeekHours): readonly DayGroup[] {
  const groups: { days: number[]; slots: readonly DaySlot[] }[] = []
  for (const day of DAYS_SHOWN) {
    const slots = slotsOf(hours, day)
    const before = groups.at(-1)
    if (before !== undefined && JSON.stringify(before.slots) === JSON.stringify(slots)) before.days.push(day)
    else groups.push({ days: [day], slots })
  }
  return groups
}

function slotsOf(hours: WeekHours, day: number): readonly DaySlot[] {
  const slots: DaySlot[] = []
  for (let hour = 0; hour < HOURS_A_DAY; hour++) {
    if (hours[indexOf({ day, hour })] !== true) continue
    const before = slots.at(-1)
    if (before?.to === hour) slots[slots.length - 1] = { from: before.from, to: hour + 1 }
    else slots.push({ from: hour, to: hour + 1 })
  }
  return slots
}

function made(isOn: (at: HourAt) => boolean): WeekHours {
  return Array.from({ length: HOURS_A_WEEK }, (_, index) => isOn(hourAt(index)))
}

/** @param change undefined leaves an hour as it is */
function changed(hours: WeekHours, change: (at: HourAt) => boolean | undefined): WeekHours {
  return hours.map((isOn, index) => change(hourAt(index)) ?? isOn)
}

function hourAt(index: number): HourAt {
  return { day: Math.floor(index / HOURS_A_DAY), hour: index % HOURS_A_DAY }
}

function placeOfDay(day: number): number {
  return (day + DAYS_A_WEEK - 1) % DAYS_A_WEEK
}

function sorted(one: number, other: number): readonly [number, number] {
  return one < other ? [one, other] : [other, one]
}
