import { useMemo } from 'react'
import { dateOf, dayRange } from '../calendar.ts'
import type { PageConsole, RecordedFile, Subject } from '../page-console.ts'

/** The most files, events and tags of a day that are shown. */
const MOST = 10_000
const REFRESH_MS = 15_000

export type RecordedEvent = {
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
  readonly name: string
  readonly description: string
  readonly isHigh: boolean
}

export type RecordedTag = { readonly id: number; readonly atMs: number; readonly name: string }

/** The files, events and tags of a day, each in the order of their times; undefined until they are loaded. */
export function useDay(console: PageConsole, { type, streamPath }: Subject, date: string, hasTags: boolean) {
  const day = useMemo(() => dayRange(date), [date])
  const range = { start: String(day.fromMs), end: String(day.toMs - 1) }
  const refreshing = date === dateOf(Date.now()) ? { refreshMs: REFRESH_MS } : {}
  const input = { params: { type, streamPath }, query: { ...range, pageSize: MOST } }
  const listed = console.useCall('GET /api/record/{type}/list/{streamPath}', input, refreshing)
  const listedEvents = console.useCall('GET /api/record/{type}/event/list/{streamPath}', input, refreshing)
  const listedTags = console.useCall(hasTags ? 'GET /mp4/api/tag/list' : undefined, {
    query: { ...range, streamPath, count: MOST },
  })

  // While another day is loaded, the answers are those of the day before.
  const files = useMemo(
    () =>
      listed.data?.data
        .map(fileOf)
        .filter(({ fromMs, toMs }) => toMs > day.fromMs && fromMs < day.toMs)
        .toSorted((one, other) => one.fromMs - other.fromMs),
    [listed.data, day],
  )
  const events = useMemo(
    () =>
      listedEvents.data?.data
        .map(eventOf)
        .filter(({ fromMs, toMs }) => toMs > day.fromMs && fromMs < day.toMs)
        .toSorted((one, other) => one.fromMs - other.fromMs),
    [listedEvents.data, day],
  )
  const tags = useMemo(
    () =>
      listedTags.data?.list
        .map(({ id, tagName, tagTime }): RecordedTag => ({ id, name: tagName, atMs: Date.parse(tagTime) }))
        .filter(({ atMs }) => atMs >= day.fromMs && atMs < day.toMs)
        .toSorted((one, other) => one.atMs - other.atMs),
    [listedTags.data, day],
  )
  return {
    day,
    files,
    events,
    tags,
    error: listed.error,
    refreshFiles: listed.refresh,
    refreshEvents: listedEvents.refresh,
    refreshTags: listedTags.refresh,
  }
}

type ListedFile = {
  readonly id: number
  readonly startTime: string
  readonly endTime: string
  readonly size: string
  readonly videoCodec: string
  readonly audioCodec: string
  readonly isActive: boolean
}

function fileOf({ id, startTime, endTime, size, videoCodec, audioCodec, isActive }: ListedFile): RecordedFile {
  return {
    id,
    fromMs: Date.parse(startTime),
    toMs: Date.parse(endTime),
    sizeBytes: Number(size),
    codecs: [videoCodec, audioCodec].filter((codec) => codec !== '').join(', '),
    isActive,
  }
}

type ListedEvent = {
  readonly id: number
  readonly startTime: string
  readonly endTime: string
  readonly eventName: string
  readonly eventDesc: string
  readonly eventLevel: string
}

function eventOf({ id, startTime, endTime, eventName, eventDesc, eventLevel }: ListedEvent): RecordedEvent {
  return {
    id,
    fromMs: Date.parse(startTime),
    toMs: Date.parse(endTime),
    name: eventName,
    description: eventDesc,
    isHigh: eventLevel === 'high',
  }
}
