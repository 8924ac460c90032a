/** A period of time that events are listed of; times are those of `datetime-local`, in the zone of the browser. */
export type Period =
  | { readonly kind: 'all' }
  | { readonly kind: 'recent'; readonly name: RecentName; readonly startMs: number }
  | { readonly kind: 'between'; readonly start: string; readonly end: string }

export const RECENT = { hour: 3600e3, day: 86_400e3, week: 7 * 86_400e3 } as const
export type RecentName = keyof typeof RECENT

/** The latest hour, day or week; it keeps its beginning while it is looked at. */
export function recent(name: RecentName, nowMs: number): Period {
  return { kind: 'recent', name, startMs: nowMs - RECENT[name] }
}

/** The fields of the query of a period, as Unix milliseconds; an end that is no time is left out. */
export function rangeOf(period: Period): { readonly start?: string; readonly end?: string } {
  if (period.kind === 'all') return {}
  if (period.kind === 'recent') return { start: String(period.startMs) }
  const start = Date.parse(period.start)
  const end = Date.parse(period.end)
  return { ...(!Number.isNaN(start) && { start: String(start) }), ...(!Number.isNaN(end) && { end: String(end) }) }
}
