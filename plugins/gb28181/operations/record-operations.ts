import { parseTimeRange, SluiceError, TIME_RANGE, Type } from 'sluice/sdk'
import { DeviceSilent } from '../errors.ts'
import { queryRecordings } from '../inquiry/recordings.ts'
import type { Platform } from '../platform.ts'
import { ONE_CHANNEL, targetOf, type AddOperation } from './requests.ts'
import { RecordAnswer } from './schemas.ts'
import { deviceName, recordView } from './views.ts'

/** The beginning of a range without one: devices have no older recordings, and some don't take the year 1970. */
const OLDEST_MS = Date.UTC(2000, 0, 1)

/** Adds the operation that asks devices for their recordings (api.md 7). */
export function addRecordOperations(add: AddOperation, platform: Platform): void {
  const { clock } = platform

  add({
    method: 'GET',
    path: 'api/records/{deviceId}/{channelId}',
    aliases: ['api/gbrecord/query/{deviceId}/{channelId}'],
    summary: 'Query recordings on a device, the newest first',
    params: ONE_CHANNEL,
    query: Type.Object({
      ...TIME_RANGE,
      type: Type.Optional(
        Type.Union([Type.Literal('all'), Type.Literal('time'), Type.Literal('alarm'), Type.Literal('manual')], {
          description: 'Why it was recorded; all unless given',
        }),
      ),
    }),
    answer: Type.Object({
      deviceId: Type.String(),
      channelId: Type.String(),
      sn: Type.String({ description: 'The number of the query' }),
      name: Type.String({ description: 'Of the device' }),
      sumNum: Type.Integer({ description: 'Recordings that the device has announced' }),
      count: Type.Integer({ description: 'Recordings that have come' }),
      lastTime: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'When the last message came',
      }),
      data: Type.Array(RecordAnswer),
    }),
    wire: 'fields',
    async handle({ params, query: { type, ...range }, signal }) {
      const { deviceId, channelId } = params
      const device = targetOf(platform, params)
      const nowMs = Date.now()
      const { startMs = OLDEST_MS, endMs = nowMs } = parseTimeRange(range, nowMs)
      const wish = { startMs, endMs, zone: clock, type }
      const { sn, items, total } = await expected(queryRecordings(platform, device, channelId, wish, signal))
      return {
        deviceId,
        channelId,
        sn: String(sn),
        name: deviceName(platform, deviceId),
        sumNum: total,
        count: items.length,
        lastTime: new Date().toISOString(),
        data: items.map((item) => recordView(item, clock)),
      }
    },
  })
}

/** Answers 500 when the device does not answer, as clients expect (api.md 7). */
async function expected<Result>(asking: Promise<Result>): Promise<Result> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof DeviceSilent) throw new SluiceError('RECORDINGS_LATE', 500, error.message, { cause: error })
    throw error
  }
}
