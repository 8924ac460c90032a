/** The zone that devices state, where they state one: that of China. */
const ZONE = '+08:00'
const ZONE_MS = 8 * 60 * 60 * 1000

/**
 * A time as bodies have it: of the device's own clock, without zone (GB/T 28181-2022 A.2.1.1); or as some devices write it, with the
 * zone of China, or with milliseconds.
 */
export function dateTimeText(date: Date, style: 'plain' | 'zone' | 'milliseconds' = 'plain'): string {
  // The clock's time, written as if it were UTC.
  const shiftMs = style === 'zone' ? ZONE_MS : -date.getTimezoneOffset() * 60_000
  const text = new Date(date.getTime() + shiftMs).toISOString()
  if (style === 'milliseconds') return text.slice(0, -1)
  const seconds = text.slice(0, text.indexOf('.'))
  return style === 'zone' ? `${seconds}${ZONE}` : seconds
}

/** Reads a time without zone, of the device's own clock; undefined where it is none. */
export function parseDateTime(text: string | undefined): Date | undefined {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}
