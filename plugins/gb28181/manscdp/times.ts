/**
 * The clock by which a device tells the time: its minutes east of UTC, or a function that returns them at a moment (Unix milliseconds),
 * for zones with summer time. The standard's times have no zone.
 */
export type GbClock = number | ((unixMs: number) => number)

/** The clock of devices as they are delivered, and as the standard has it: UTC+8. */
export const CHINA_TIME: GbClock = 8 * 60

/** The clock of this server's own zone, for devices elsewhere. */
export const SERVER_TIME: GbClock = (unixMs) => -new Date(unixMs).getTimezoneOffset()

const MINUTE_MS = 60_000
/** Year, month, day, hour, minute, second, fraction, zone; with or without marks between them. */
const YEAR_FIRST =
  /^(\d{4})\D?(\d{1,2})\D?(\d{1,2})[^\dZ+-]?(?:[\sT]*(\d{1,2})[^\dZ+-]?(\d{1,2})(?:[^\dZ+-]?(\d{1,2})(?:[.,:](\d{1,9}))?)?[^\dZ+-]?)?\s*(Z|[+-]\d{2}:?\d{2})?$/iu
/** Day, month, year, and the time with its marks. */
const DAY_FIRST =
  /^(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?:[\sT]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/iu

/** Writes a moment as local time without a zone: `2024-01-31T23:59:59` (annex A.2.1 of GB/T 28181-2022). */
export function serializeGbTime(unixMs: number, zone: GbClock): string {
  return serializeGbDate(unixMs, zone).slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
}

/** Writes a moment with milliseconds, as the `Date` of an answer to REGISTER, by which devices set their clock (9.10.1). */
export function serializeGbDate(unixMs: number, zone: GbClock): string {
  const localMs = unixMs + offsetMinutes(zone, unixMs) * MINUTE_MS
  return new Date(localMs).toISOString().slice(0, -1)
}

/** Writes a moment as local time with the offset of its zone: `2024-01-31T23:59:59+08:00`. */
export function serializeGbTimeWithOffset(unixMs: number, zone: GbClock): string {
  const minutes = offsetMinutes(zone, unixMs)
  const two = (value: number) => String(value).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
  return serializeGbTime(unixMs, zone) + offset
}

/**
 * Reads a time as devices write it: with or without milliseconds and zone, with other marks or none, or with the day first.
 * @param zone the clock of a time without a zone
 * @returns Unix milliseconds; undefined when it is no time
 */
export function parseGbTime(text: string | undefined, zone: GbClock): number | undefined {
  const trimmed = text?.trim() ?? ''
  const parts = YEAR_FIRST.exec(trimmed) ?? dayFirst(trimmed)
  if (parts === undefined) return undefined
  const [, year, month, day, hour, minute, second, fraction, stated] = parts
  const localMs = utcOf(
    [year, month, day, hour, minute, second].map((part) => Number(part ?? 0)),
    Math.trunc(Number(`0.${fraction ?? 0}`) * 1000),
  )
  if (localMs === undefined) return undefined
  if (stated !== undefined) return localMs - statedMinutes(stated) * MINUTE_MS
  // The offset is that of the moment, which is known by the offset: the second guess is right but in the hour of a change.
  const guessMs = localMs - offsetMinutes(zone, localMs) * MINUTE_MS
  return localMs - offsetMinutes(zone, guessMs) * MINUTE_MS
}

function dayFirst(text: string): readonly (string | undefined)[] | undefined {
  const parts = DAY_FIRST.exec(text)
  if (parts === null) return undefined
  const [all, day, month, year, ...rest] = parts
  return [all, year, month, day, ...rest]
}

/** The milliseconds of a date and time in UTC; undefined where there is no such time. */
function utcOf(parts: readonly number[], ms: number): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
  if (year < 1970 || hour > 24 || minute > 59 || second > 60) return undefined
  const dayMs = Date.UTC(year, month - 1, day)
  if (new Date(dayMs).getUTCMonth() !== month - 1 || new Date(dayMs).getUTCDate() !== day) return undefined
  return dayMs + ((hour * 60 + minute) * 60 + second) * 1000 + ms
}

function statedMinutes(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/u.exec(zone) ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function offsetMinutes(zone: GbClock, unixMs: number): number {
  return typeof zone === 'number' ? zone : zone(unixMs)
}
