import { SERVER_TIME, type GbClock } from './manscdp/times.ts'

const MINUTE_MS = 60_000
/** Zones change their offset on the hour, so one answer holds for this long. */
const SPAN_MS = 15 * MINUTE_MS

/** Returns the clock of a time zone by its name, as `Asia/Shanghai`; that of this server where it is empty. @throws {RangeError} when there is none */
export function clockOfZone(timeZone: string): GbClock {
  if (timeZone === '') return SERVER_TIME
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts })
  let known = { span: NaN, minutes: 0 }
  return (unixMs) => {
    const span = Math.floor(unixMs / SPAN_MS)
    if (span !== known.span) known = { span, minutes: offsetAt(format, span * SPAN_MS) }
    return known.minutes
  }
}

function offsetAt(format: Intl.DateTimeFormat, unixMs: number): number {
  const part = Object.fromEntries(format.formatToParts(unixMs).map(({ type, value }) => [type, Number(value)]))
  const localMs = Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'])
  return (localMs - unixMs) / MINUTE_MS
}
