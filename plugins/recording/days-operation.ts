import {
  Int64,
  InvalidRequest,
  parseTimeRange,
  recordType,
  StreamPath,
  TIME_RANGE,
  Type,
  type OperationRegistry,
} from 'sluice/sdk'
import { dateFormat } from './catalogue/calendar-days.ts'
import type { RecordedDays } from './catalogue/recorded-days.ts'

/** The longest time of an answer: a year, and the days around it. */
const MAX_RANGE_MS = 400 * 24 * 60 * 60 * 1000

const Day = Type.Object({
  date: Type.String({ description: '2026-11-28' }),
  count: Type.Integer({ description: 'The files that begin on it; 0 where one goes on from the day before' }),
  size: Int64(),
})

/** `GET /api/record/{type}/days/{streamPath}`: the days that a calendar marks. */
export function addDaysOperation(operations: OperationRegistry, days: RecordedDays): void {
  operations.add({
    method: 'GET',
    path: '/api/record/{type}/days/{streamPath}',
    summary: 'The days on which a stream was recorded',
    params: Type.Object({
      type: Type.String({ description: 'mp4, flv, hls (ts) or hlsv7 (fmp4)' }),
      streamPath: StreamPath(),
    }),
    query: Type.Object({
      ...TIME_RANGE,
      timeZone: Type.String({ default: 'UTC', maxLength: 64, description: 'In which days begin: Europe/Berlin' }),
    }),
    answer: Type.Array(Day),
    async handle({ params: { type, streamPath }, query: { timeZone, ...range } }) {
      const nowMs = Date.now()
      const { startMs, endMs = nowMs } = parseTimeRange(range, nowMs)
      if (startMs === undefined) throw new InvalidRequest('start must be given')
      if (endMs - startMs > MAX_RANGE_MS) throw new InvalidRequest('the range must be no longer than 400 days')
      checkTimeZone(timeZone)
      const found = await days.list({ type: recordType(type), streamPath, startMs, endMs, timeZone })
      return found.map(({ date, count, sizeBytes }) => ({ date, count, size: sizeBytes }))
    },
  })
}

/** @throws {InvalidRequest} */
function checkTimeZone(timeZone: string): void {
  try {
    dateFormat(timeZone)
  } catch {
    throw new InvalidRequest('timeZone must be the name of a time zone, such as Europe/Berlin')
  }
}
