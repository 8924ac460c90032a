import type { TimeRange } from '../calendar.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The shortest time that a time line shows. */
const SHORTEST_MS = 2 * MINUTE
/** Files that are no further apart are drawn as one: times in whole milliseconds, and a keyframe that was waited for. */
const JOINED_MS = 2 * SECOND
const STEPS_MS = [
  ...[5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR),
]

/** A part of the day that was recorded without a gap; that of the file that is being written is one of its own. */
export type Span = TimeRange & { readonly isActive: boolean }

/** The place of a time in a view: 0 at its beginning, 1 at its end. */
export function placeIn({ fromMs, toMs }: TimeRange, ms: number): number {
  return (ms - fromMs) / (toMs - fromMs)
}

/** The time at a place in a view. */
export function timeAt({ fromMs, toMs }: TimeRange, place: number): number {
  return Math.round(fromMs + Math.min(1, Math.max(0, place)) * (toMs - fromMs))
}

/**
 * A view of another length, in which a time keeps its place.
 * @param factor 2 shows twice as much
 */
export function zoomed(view: TimeRange, day: TimeRange, factor: number, aroundMs: number): TimeRange {
  const lengthMs = Math.min(day.toMs - day.fromMs, Math.max(SHORTEST_MS, (view.toMs - view.fromMs) * factor))
  const place = Math.min(1, Math.max(0, placeIn(view, aroundMs)))
  return within(day, timeAt(view, place) - place * lengthMs, lengthMs)
}

/** A view that is moved, as far as the day goes. */
export function moved({ fromMs, toMs }: TimeRange, day: TimeRange, byMs: number): TimeRange {
  return within(day, fromMs + byMs, toMs - fromMs)
}

/** The view of the same length with a time in its middle; the view itself where it shows the time already. */
export function showing(view: TimeRange, day: TimeRange, ms: number): TimeRange {
  if (ms >= view.fromMs && ms <= view.toMs) return view
  return moved(view, day, ms - (view.fromMs + view.toMs) / 2)
}

function within(day: TimeRange, fromMs: number, lengthMs: number): TimeRange {
  const start = Math.round(Math.max(day.fromMs, Math.min(day.toMs - lengthMs, fromMs)))
  return { fromMs: start, toMs: start + Math.round(lengthMs) }
}

/** The times at which a view is marked, by round steps from the beginning of the day. */
export function ticksOf(view: TimeRange, day: TimeRange, most: number): readonly number[] {
  const lengthMs = view.toMs - view.fromMs
  const stepMs = STEPS_MS.find((step) => lengthMs / step <= most) ?? 12 * HOUR
  const first = Math.ceil((view.fromMs - day.fromMs) / stepMs)
  const count = Math.floor((view.toMs - day.fromMs) / stepMs) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => day.fromMs + (first + index) * stepMs)
}

/**
 * The parts of a day that were recorded.
 * @param files in the order of their beginnings
 */
export function spansOf(
  files: readonly (TimeRange & { readonly isActive: boolean })[],
  day: TimeRange,
): readonly Span[] {
  const spans: Span[] = []
  for (const file of files) {
    const span = {
      fromMs: Math.max(file.fromMs, day.fromMs),
      toMs: Math.min(file.toMs, day.toMs),
      isActive: file.isActive,
    }
    if (span.toMs <= span.fromMs) continue
    const before = spans.at(-1)
    const goesOn = before?.isActive === span.isActive && span.fromMs - before.toMs <= JOINED_MS
    if (goesOn) spans[spans.length - 1] = { ...before, toMs: Math.max(before.toMs, span.toMs) }
    else spans.push(span)
  }
  return spans
}

/** The time itself where it was recorded, else the next that was; undefined after the last. */
export function nextRecorded(spans: readonly TimeRange[], ms: number): number | undefined {
  const span = spans.find(({ toMs }) => toMs > ms)
  return span === undefined ? undefined : Math.max(span.fromMs, ms)
}

/** The beginning of the file after a time. */
export function nextBeginning(files: readonly TimeRange[], ms: number): number | undefined {
  return files.find(({ fromMs }) => fromMs > ms)?.fromMs
}

/** The beginning of the file of a time, or of the one before where that has only begun. */
export function previousBeginning(files: readonly TimeRange[], ms: number): number | undefined {
  return files.findLast(({ fromMs }) => fromMs < ms - 3 * SECOND)?.fromMs ?? files[0]?.fromMs
}
