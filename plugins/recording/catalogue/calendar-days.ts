/** Files one after another: the time from the beginning of the first to the end of the last. */
export type Span = {
  readonly startMs: number
  readonly endMs: number
  readonly count: number
  readonly sizeBytes: number
}

/** A day of a calendar with recordings. */
export type Day = {
  /** `2026-11-28` */
  readonly date: string
  /** The number of files that begin on it. */
  readonly count: number
  /** The size of the files that begin on it. */
  readonly sizeBytes: number
}

type Calendar = { readonly startMs: number; readonly endMs: number; readonly timeZone: string }

/** No day is shorter, also where the clocks are changed. */
const STEP_MS = 12 * 60 * 60 * 1000

/** The days of a time zone that spans touch, within a time, in their order. */
export function daysOf(spans: readonly Span[], { startMs, endMs, timeZone }: Calendar): Day[] {
  const dateOf = dateFormat(timeZone)
  const days = new Map<string, { date: string; count: number; sizeBytes: number }>()
  const dayAt = (ms: number) => {
    const date = dateOf(ms)
    const day = days.get(date) ?? { date, count: 0, sizeBytes: 0 }
    days.set(date, day)
    return day
  }
  for (const span of spans) {
    const [fromMs, toMs] = [Math.max(span.startMs, startMs), Math.min(span.endMs, endMs)]
    for (let ms = fromMs; ms < toMs; ms += STEP_MS) dayAt(ms)
    dayAt(Math.max(fromMs, toMs))
    if (span.startMs < startMs) continue
    const first = dayAt(span.startMs)
    first.count += span.count
    first.sizeBytes += span.sizeBytes
  }
  return [...days.values()].toSorted((one, other) => one.date.localeCompare(other.date))
}

/** @throws {RangeError} there is no such time zone */
export function dateFormat(timeZone: string): (ms: number) => string {
  // The dates of Canada are those of ISO 8601.
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (ms) => format.format(ms)
}
