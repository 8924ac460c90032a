const UNITS = ['', 'k', 'M', 'G', 'T']
/** The factor from one unit to the next. */
const STEP = 1000

/** Formats a rate in bits, as networks count: `2.4 Mbit/s`. */
export function bitRateText(bytesPerSecond: number): string {
  return `${scaled(bytesPerSecond * 8)}bit/s`
}

/** Formats a number of bytes: `1.5 MB`. */
export function bytesText(bytes: number): string {
  return `${scaled(bytes)}B`
}

/** Formats a duration: `42s`, `3m05s`, `2h10m`, `5d03h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes === 0) return `${seconds}s`
  if (hours === 0) return `${minutes}m${twoDigits(seconds % 60)}s`
  if (hours < 24) return `${hours}h${twoDigits(minutes % 60)}m`
  return `${Math.floor(hours / 24)}d${twoDigits(hours % 24)}h`
}

/** Formats the age of a time (RFC 3339); empty for no time. */
export function ageText(time: string): string {
  const sinceMs = Date.parse(time)
  return sinceMs > 0 ? durationText(Date.now() - sinceMs) : ''
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

function scaled(value: number): string {
  let rest = value
  let unit = 0
  while (rest >= STEP && unit < UNITS.length - 1) {
    rest /= STEP
    unit += 1
  }
  const shown = unit === 0 || rest >= 100 ? Math.round(rest) : Math.round(rest * 10) / 10
  return `${shown} ${UNITS[unit] ?? ''}`
}
