import {
  parseTimeRange,
  SluiceError,
  StoreUnavailable,
  TIME_RANGE,
  Type,
  type OperationRegistry,
  type Static,
} from 'sluice/sdk'
import type { AlarmArchive, AlarmFilter } from './alarm-archive.ts'
import { alarmView } from './alarm-event.ts'

/** The most events in one answer. */
const MAX_LISTED = 10_000

const Text = () => Type.Optional(Type.String({ maxLength: 1024 }))
const Page = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9, description }))

const AlarmQuery = Type.Object({
  pageNum: Page('From 1'),
  pageSize: Page(`All events unless given, at most ${MAX_LISTED}`),
  ...TIME_RANGE,
  alarmType: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: '0 is all' })),
  alarmName: Text(),
  streamPath: Text(),
  streamName: Text(),
})

/** `Alarm` of the API (api.md 3.3). */
const Alarm = Type.Object({
  id: Type.Integer(),
  serverInfo: Type.String({ description: 'Name and address of the server' }),
  streamName: Type.String({ description: 'The last part of the path' }),
  streamPath: Type.String(),
  alarmDesc: Type.String(),
  alarmName: Type.String({ description: 'The event, as in the key hook of the config' }),
  alarmType: Type.Integer(),
  isSent: Type.Boolean({ description: 'Its webhook has taken it' }),
  filePath: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
})

/** Adds `GET /api/alarm/list` (api.md 3.1): the events that `savealarm` has stored, the newest first. */
export function addAlarmOperations(operations: OperationRegistry, archive: Pick<AlarmArchive, 'list'>): void {
  operations.add({
    method: 'GET',
    path: '/api/alarm/list',
    summary: 'Get alarm list',
    query: AlarmQuery,
    answer: Type.Object({
      total: Type.Integer(),
      pageNum: Type.Integer(),
      pageSize: Type.Integer(),
      data: Type.Array(Alarm),
    }),
    wire: 'fields',
    errors: 'in-band',
    async handle({ query }) {
      const pageNum = query.pageNum || 1
      const pageSize = Math.min(query.pageSize || MAX_LISTED, MAX_LISTED)
      const page = { limit: pageSize, offset: (pageNum - 1) * pageSize }
      const { total, events } = await listed(archive.list(filterOf(query), page))
      return { total, pageNum, pageSize, data: events.map(alarmView) }
    },
  })
}

function filterOf({ alarmType, alarmName, streamPath, streamName, ...range }: Static<typeof AlarmQuery>): AlarmFilter {
  const isRange = [range.range, range.start, range.end].some((text) => text !== undefined && text !== '')
  const { startMs, endMs } = parseTimeRange(range, Date.now())
  return {
    fromMs: startMs,
    // A request without a range also asks for the events after this reading of the clock.
    toMs: isRange ? endMs : undefined,
    type: alarmType || undefined,
    name: alarmName || undefined,
    streamPath: streamPath || undefined,
    streamName: streamName || undefined,
  }
}

/** Answers 500 when there is no database, as clients expect (api.md 3.1). */
async function listed<Result>(listing: Promise<Result>): Promise<Result> {
  try {
    return await listing
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new SluiceError('ALARMS_UNAVAILABLE', 500, 'no db', { cause: error })
    throw error
  }
}
