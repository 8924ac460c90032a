import { Type } from 'typebox'
import { InvalidRequest } from '../errors/stream-errors.ts'

const TIME =
  'Unix seconds (10 digits) or milliseconds (13 digits), 2006-01-02T15:04:05 (local without Z or offset), or 15:04:05 of today'

/** The fields of a query by which a client asks for a range of time; see {@link parseTimeRange}. */
export const TIME_RANGE = {
  range: Type.Optional(Type.String({ description: 'Both ends: start~end; two Unix times may have a - between them' })),
  start: Type.Optional(Type.String({ description: `${TIME}; unless given, there is no start` })),
  end: Type.Optional(Type.String({ description: 'As start; unless given, there is no end' })),
}

/** A range in milliseconds since the Unix epoch, both ends included; undefined where it is open. */
export type TimeRange = { readonly startMs: number | undefined; readonly endMs: number | undefined }

type GivenRange = { readonly range?: string; readonly start?: string; readonly end?: string }

const UNIX_SECONDS = /^\d{10}$/u
const UNIX_MS = /^\d{13}$/u
const UNIX_RANGE = /^(?<from>\d{10}|\d{13})-(?<to>\d{10}|\d{13})$/u
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})?$/u
/** The plus of an offset that was not escaped in a query, where it reads as a space (the URL standard, 5.1). */
const UNESCAPED_PLUS = /(?<=T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) (?=\d{2}:\d{2}$)/u
const TIME_OF_DAY = /^(?<hours>\d{1,2}):(?<minutes>\d{2}):(?<seconds>\d{2})$/u

/**
 * Reads the fields of {@link TIME_RANGE}, which may be those of a body, too (api.md 1.3).
 * @param nowMs the day of times without a date, in milliseconds since the Unix epoch; no range starts later, unless its end does
 * @throws {InvalidRequest} when one of them is no time, or the range ends before it starts; the message names the field
 */
export function parseTimeRange({ range = '', start = '', end = '' }: GivenRange, nowMs: number): TimeRange {
  const [from, to] = range === '' ? [start, end] : endsOf(range)
  const names = range === '' ? (['start', 'end'] as const) : (['range', 'range'] as const)
  const startMs = from === '' ? undefined : parseTime(names[0], from, nowMs)
  const endMs = to === '' ? undefined : parseTime(names[1], to, nowMs)
  if (startMs !== undefined && (endMs ?? nowMs) < startMs) throw new InvalidRequest(`${names[1]} is before the start`)
  return { startMs, endMs }
}

function endsOf(range: string): readonly [string, string] {
  const unix = UNIX_RANGE.exec(range)?.groups
  if (unix !== undefined) return [unix['from'] ?? '', unix['to'] ?? '']
  const [from = '', to, ...more] = range.split('~')
  if (to === undefined || more.length > 0) throw new InvalidRequest('range must be start~end')
  return [from, to]
}

/**
 * Reads one such time, in milliseconds since the Unix epoch. A `+` that is a space by now is understood.
 * @param nowMs the day of times without a date
 * @throws {InvalidRequest} for what is no time; the message has the `name`
 */
export function parseTime(name: string, text: string, nowMs: number): number {
  const timeMs = timeOf(text.trim().replace(UNESCAPED_PLUS, '+'), nowMs)
  if (Number.isNaN(timeMs)) throw new InvalidRequest(`${name} must be a time: ${TIME}`)
  return timeMs
}

/** NaN for a text that is not a time. */
function timeOf(text: string, nowMs: number): number {
  if (UNIX_SECONDS.test(text)) return Number(text) * 1000
  if (UNIX_MS.test(text)) return Number(text)
  // JavaScript takes a date with a time and no offset for a local one.
  if (DATE_TIME.test(text)) return isDay(text) ? Date.parse(text) : Number.NaN
  const { hours, minutes, seconds } = TIME_OF_DAY.exec(text)?.groups ?? {}
  if (hours === undefined) return Number.NaN
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return Number.NaN
  return new Date(nowMs).setHours(Number(hours), Number(minutes), Number(seconds), 0)
}

/** Returns true when the date at the text's beginning exists: JavaScript takes February 30 for March 2. */
function isDay(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.slice(0, 10).split('-').map(Number)
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}
