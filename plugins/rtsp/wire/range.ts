import { MalformedError } from 'sluice/sdk/media'

/**
 * Header `Range` (RFC 2326 12.29). An end that is undefined is open. `npt` counts milliseconds from the start of the
 * presentation, `now` is the live edge; `clock` is absolute, in milliseconds since 1970 UTC.
 */
export type Range =
  | { readonly unit: 'npt'; readonly startMs: number | 'now' | undefined; readonly endMs: number | 'now' | undefined }
  | { readonly unit: 'clock'; readonly startMs: number; readonly endMs: number | undefined }

const RANGE = /^([a-z][\w-]*)\s*=\s*([^;]*)/iu
const NPT = /^(\d{1,10})(?:\.(\d{0,9}))?$/u
const NPT_CLOCK = /^(\d{1,6}):([0-5]?\d):([0-5]?\d)(?:\.(\d{0,9}))?$/u
const UTC = /^(\d{4})(\d\d)(\d\d)T([01]\d|2[0-3])([0-5]\d)([0-5]\d)(?:\.(\d{0,9}))?Z$/iu

/**
 * Parses the header, without its `time`.
 * @returns `null` for unsupported units, SMPTE among them, which are answered by 501
 * @throws {MalformedError} when it is malformed
 */
export function parseRange(text: string): Range | null {
  const [, unit, value = ''] = RANGE.exec(text.trim()) ?? []
  if (unit === undefined) throw new MalformedError(`Range ${shown(text)}`)
  const dash = value.indexOf('-')
  const start = value.slice(0, Math.max(dash, 0)).trim()
  const end = value.slice(dash + 1).trim()
  switch (unit.toLowerCase()) {
    case 'npt':
      if (dash < 0 || (start === '' && end === '')) throw new MalformedError(`Range ${shown(text)}`)
      return { unit: 'npt', startMs: ifAny(start, parseNpt), endMs: ifAny(end, parseNpt) }
    case 'clock':
      if (dash < 0) throw new MalformedError(`Range ${shown(text)}`)
      return { unit: 'clock', startMs: parseUtc(start), endMs: ifAny(end, parseUtc) }
    default:
      return null
  }
}

/** Writes the header. */
export function serializeRange(range: Range): string {
  const { startMs = '', endMs = '' } = range
  const format = range.unit === 'npt' ? formatNpt : formatUtc
  return `${range.unit}=${formatEnd(startMs, format)}-${formatEnd(endMs, format)}`
}

function ifAny<Value>(text: string, parse: (text: string) => Value): Value | undefined {
  return text === '' ? undefined : parse(text)
}

function parseNpt(text: string): number | 'now' {
  if (text.toLowerCase() === 'now') return 'now'
  const seconds = NPT.exec(text)
  if (seconds !== null) return Number(seconds[1]) * 1000 + fractionMs(seconds[2])
  const clock = NPT_CLOCK.exec(text)
  if (clock === null) throw new MalformedError(`time ${shown(text)} in a Range of npt`)
  const [, hours, minutes, second, fraction] = clock
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(second)) * 1000 + fractionMs(fraction)
}

function parseUtc(text: string): number {
  const [, year, month, day, hour, minute, second, fraction] = UTC.exec(text) ?? []
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // A day that its month does not have is taken for one of the next.
  const isDate = date.getUTCDate() === Number(day)
  if (!isDate) throw new MalformedError(`time ${shown(text)} in a Range of clock`)
  return date.getTime() + fractionMs(fraction)
}

function fractionMs(digits = ''): number {
  return Math.round(Number(`0.${digits}0`) * 1000)
}

function formatEnd(ms: number | string, format: (ms: number) => string): string {
  return typeof ms === 'number' ? format(ms) : ms
}

function formatNpt(ms: number): string {
  return (ms / 1000).toFixed(3)
}

/** A time as `20260101T000000.250Z`, with the fraction only if there is one. */
function formatUtc(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.000(?=Z)/gu, '')
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}
