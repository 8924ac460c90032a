import { parseTime, parseTimeRange, TIME_RANGE, Type } from 'sluice/sdk'
import type { Platform } from '../platform.ts'
import { deviceOf, ONE_DEVICE, PAGE_QUERY, placeOf, type AddOperation } from './requests.ts'
import { AlarmAnswer } from './schemas.ts'
import { alarmView } from './views.ts'

/** The most alarms in an answer. */
const MAX_LISTED = 10_000

const Digit = () => Type.Optional(Type.String({ pattern: String.raw`^\d{0,2}$` }))
const Moment = () => Type.Optional(Type.String({ description: 'As start and end of other operations' }))
const Text = (maxLength = 1024) => Type.Optional(Type.String({ maxLength }))

/** Adds the operations of alarms (api.md 7). */
export function addAlarmOperations(add: AddOperation, platform: Platform): void {
  const { alarms, ctx } = platform

  add({
    method: 'GET',
    path: 'api/alarms/{deviceId}',
    summary: 'Query alarms, the newest first',
    params: ONE_DEVICE,
    query: Type.Object({ ...TIME_RANGE, ...PAGE_QUERY }),
    answer: Type.Object({ total: Type.Integer(), data: Type.Array(AlarmAnswer) }),
    wire: 'fields',
    async handle({ params: { deviceId }, query: { page, count, ...range } }) {
      deviceOf(platform, deviceId)
      const { offset, limit = MAX_LISTED } = placeOf({
        ...(page !== undefined && { page }),
        ...(count !== undefined && { count }),
      })
      const filter = { deviceId, ...parseTimeRange(range, Date.now()) }
      const listed = await alarms.list(filter, { offset, limit: Math.min(limit, MAX_LISTED) })
      return { total: listed.total, data: listed.alarms.map((alarm) => alarmView(platform, alarm)) }
    },
  })

  add({
    method: 'GET',
    path: 'api/alarm/{deviceId}',
    summary: 'Query alarms by their kinds',
    params: ONE_DEVICE,
    query: Type.Object({
      startPriority: Digit(),
      endPriority: Digit(),
      alarmMethod: Digit(),
      alarmType: Digit(),
      startTime: Moment(),
      endTime: Moment(),
    }),
    answer: Type.Array(
      Type.Object({
        deviceId: Type.String(),
        alarmPriority: Type.String(),
        alarmMethod: Type.String(),
        alarmTime: Type.String(),
        alarmDescription: Type.String(),
      }),
    ),
    async handle({ params: { deviceId }, query }) {
      deviceOf(platform, deviceId)
      const { startTime, endTime } = query
      const nowMs = Date.now()
      const filter = {
        deviceId,
        startPriority: numberOf(query.startPriority),
        endPriority: numberOf(query.endPriority),
        method: numberOf(query.alarmMethod),
        type: numberOf(query.alarmType),
        startMs: startTime === undefined ? undefined : parseTime('startTime', startTime, nowMs),
        endMs: endTime === undefined ? undefined : parseTime('endTime', endTime, nowMs),
      }
      const listed = await alarms.list(filter, { offset: 0, limit: MAX_LISTED })
      return listed.alarms.map((alarm) => {
        const { deviceId: id, alarmPriority, alarmMethod, alarmTime, alarmDescription } = alarmView(platform, alarm)
        return { deviceId: alarm.channel_id || id, alarmPriority, alarmMethod, alarmTime, alarmDescription }
      })
    },
  })

  add({
    method: 'POST',
    path: 'api/alarm/receive',
    summary: 'Receive alarm (test only): takes what webhooks of events send, and logs it',
    body: Type.Object({
      serverInfo: Text(),
      streamName: Text(),
      streamPath: Text(),
      alarmDesc: Text(),
      alarmType: Type.Optional(Type.Integer()),
      createAt: Text(),
    }),
    handle({ body }) {
      ctx.log.info({ alarm: body }, 'an alarm was received')
    },
  })
}

/** The number of a filter; undefined for 0 and nothing, which are all. */
function numberOf(text = ''): number | undefined {
  return Number(text) || undefined
}
