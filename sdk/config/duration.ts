/** The longest a timer of Node can wait, about 24 days; a longer one would fire at once. */
export const MAX_DURATION_MS = 2 ** 31 - 1

const NUMBER = String.raw`(\d{1,10}(?:\.\d{1,9})?)`
const WITH_UNITS = new RegExp(`^(?:${NUMBER}h)?(?:${NUMBER}m)?(?:${NUMBER}s)?(?:${NUMBER}ms)?$`)
const BARE_SECONDS = /^\d{1,10}$/
const UNITS_MS = [3_600_000, 60_000, 1000, 1]

/** Milliseconds of `100ms`, `1.5s`, `4m`, `1h30m` or a bare integer of seconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '') return undefined
  if (BARE_SECONDS.test(text)) return withinLimit(Number(text) * 1000)
  const match = WITH_UNITS.exec(text)
  if (match === null) return undefined
  return withinLimit(UNITS_MS.reduce((sum, unitMs, index) => sum + Number(match[index + 1] ?? 0) * unitMs, 0))
}

function withinLimit(durationMs: number): number | undefined {
  return durationMs <= MAX_DURATION_MS ? Math.round(durationMs) : undefined
}
