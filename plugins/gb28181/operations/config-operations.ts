import { InvalidRequest, Type, Unsupported, type Static } from 'sluice/sdk'
import { DeviceRefused } from '../errors.ts'
import { parseConfigDownload, type GbConfigValue } from '../manscdp/config-download.ts'
import { basicParamConfig, deviceConfig, type GbDeviceConfig, type TimeOfDay } from '../manscdp/configs.ts'
import type { ManscdpBody } from '../manscdp/message.ts'
import { configDownloadQuery, type GbConfigType } from '../manscdp/queries.ts'
import type { Platform } from '../platform.ts'
import { compareGbVersions } from '../version.ts'
import { assertKnows } from './known-feature.ts'
import { ONE_CHANNEL, targetOf, type AddOperation } from './requests.ts'

const CONFIG_TYPES = [
  'BasicParam',
  'VideoParamOpt',
  'SVACEncodeConfig',
  'SVACDecodeConfig',
  'VideoParamAttribute',
  'VideoRecordPlan',
  'VideoAlarmRecord',
  'PictureMask',
  'FrameMirror',
  'AlarmReport',
  'OSDConfig',
  'SnapShotConfig',
] as const satisfies readonly GbConfigType[]
/** The parts that devices of before 2022 know. */
const OLDER_TYPES: ReadonlySet<GbConfigType> = new Set(CONFIG_TYPES.slice(0, 4))

const Seconds = () => Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400, description: 'Seconds' }))
const StreamNumber = () => Type.Integer({ minimum: 0, maximum: 9, default: 0, description: '0 is the main stream' })
const Clock = () =>
  Type.String({ pattern: String.raw`^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$`, description: 'As 08:30:00' })

/** The parts of a configuration that can be set, each by the name that the standard has for it. */
const ConfigBody = Type.Object({
  basicParam: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String({ maxLength: 255 })),
      expiration: Seconds(),
      heartBeatInterval: Seconds(),
      heartBeatCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
    }),
  ),
  frameMirror: Type.Optional(
    Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2), Type.Literal(3)], {
      description: '0 as it is, 1 left and right, 2 top and bottom, 3 both',
    }),
  ),
  alarmReport: Type.Optional(Type.Object({ motionDetection: Type.Boolean(), fieldDetection: Type.Boolean() })),
  videoAlarmRecord: Type.Optional(
    Type.Object({
      recordEnable: Type.Boolean(),
      recordTime: Seconds(),
      preRecordTime: Seconds(),
      streamNumber: StreamNumber(),
    }),
  ),
  videoRecordPlan: Type.Optional(
    Type.Object({
      recordEnable: Type.Boolean(),
      streamNumber: StreamNumber(),
      recordSchedule: Type.Array(
        Type.Object({
          weekDayNum: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday' }),
          timeSegment: Type.Array(Type.Object({ start: Clock(), stop: Clock() }), { maxItems: 8 }),
        }),
        { maxItems: 7 },
      ),
    }),
  ),
})

/** Adds the operations that read and change the configuration of devices (GB/T 28181-2022 9.3 and 9.5). */
export function addConfigOperations(add: AddOperation, platform: Platform): void {
  const { inquiries } = platform

  add({
    method: 'GET',
    path: 'api/config/{deviceId}/{channelId}',
    summary: 'Ask a device for parts of its configuration',
    params: ONE_CHANNEL,
    query: Type.Object({
      types: Type.String({ description: `Parts, with commas between: ${CONFIG_TYPES.join(', ')}` }),
    }),
    answer: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The parts that the device has, by their names',
    }),
    async handle({ params, query }) {
      const device = targetOf(platform, params)
      const types = typesIn(query.types)
      assertKnows(device, 'ConfigDownload')
      const newer = types.find((type) => !OLDER_TYPES.has(type))
      if (newer !== undefined && compareGbVersions(device.version || '2.0', '3.0') < 0) {
        throw new Unsupported(`device ${device.id} is of a version of the standard that does not have ${newer}`)
      }
      const answer = await inquiries.ask(device, configDownloadQuery(params.channelId, types))
      const { isOk, parts } = parseConfigDownload(answer, types)
      if (!isOk && parts.size === 0)
        throw new DeviceRefused(device.id, answer.root.text('Reason') ?? 'it has none of this')
      return Object.fromEntries([...parts].map(([type, value]) => [type, plain(value)]))
    },
  })

  add({
    method: 'POST',
    path: 'api/config/{deviceId}/{channelId}',
    summary: 'Change parts of the configuration of a device',
    params: ONE_CHANNEL,
    body: ConfigBody,
    async handle({ params, body }) {
      const device = targetOf(platform, params)
      const changes = changesOf(params.channelId, body)
      if (changes.length === 0) throw new InvalidRequest('there is no part to change')
      assertKnows(device, 'DeviceConfig')
      if (Object.keys(body).some((part) => part !== 'basicParam')) assertKnows(device, 'SnapShotConfig')
      // Devices take one part at a time.
      for (const change of changes) await inquiries.command(device, change)
    },
  })
}

/** @throws {InvalidRequest} */
function typesIn(text: string): GbConfigType[] {
  return [...new Set(text.split(/[,/]/u))].map((name) => {
    const type = CONFIG_TYPES.find((each) => each.toLowerCase() === name.trim().toLowerCase())
    if (type === undefined) throw new InvalidRequest(`types must be of ${CONFIG_TYPES.join(', ')}`)
    return type
  })
}

/** A part as JSON: what has one name several times is a list. */
function plain(value: GbConfigValue): unknown {
  if (typeof value === 'string') return value
  const byName = Map.groupBy(value, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, entries]) => {
      const values = entries.map(([, inner]) => plain(inner))
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

function changesOf(channelId: string, body: Static<typeof ConfigBody>): ManscdpBody[] {
  const { basicParam, frameMirror, alarmReport, videoAlarmRecord, videoRecordPlan } = body
  const others: (GbDeviceConfig | undefined)[] = [
    frameMirror === undefined ? undefined : { type: 'FrameMirror', mode: frameMirror },
    alarmReport && {
      type: 'AlarmReport',
      tellsMotion: alarmReport.motionDetection,
      tellsIntrusion: alarmReport.fieldDetection,
    },
    videoAlarmRecord && {
      type: 'VideoAlarmRecord',
      isEnabled: videoAlarmRecord.recordEnable,
      afterSeconds: videoAlarmRecord.recordTime,
      beforeSeconds: videoAlarmRecord.preRecordTime,
      streamNumber: videoAlarmRecord.streamNumber,
    },
    videoRecordPlan && {
      type: 'VideoRecordPlan',
      isEnabled: videoRecordPlan.recordEnable,
      streamNumber: videoRecordPlan.streamNumber,
      days: videoRecordPlan.recordSchedule.map(({ weekDayNum, timeSegment }) => {
        const segments = timeSegment.map(({ start, stop }) => ({ start: timeOfDay(start), stop: timeOfDay(stop) }))
        return { weekDay: weekDayNum, segments }
      }),
    },
  ]
  return [
    ...(basicParam === undefined ? [] : [basicParamOf(channelId, basicParam)]),
    ...others.flatMap((change) => (change === undefined ? [] : deviceConfig(channelId, change))),
  ]
}

function basicParamOf(
  channelId: string,
  basicParam: NonNullable<Static<typeof ConfigBody>['basicParam']>,
): ManscdpBody {
  const { name, expiration, heartBeatInterval, heartBeatCount } = basicParam
  return basicParamConfig(channelId, {
    name,
    expirationSeconds: expiration,
    heartbeatIntervalSeconds: heartBeatInterval,
    heartbeatCount: heartBeatCount,
  })
}

function timeOfDay(text: string): TimeOfDay {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number)
  return { hour, minute, second }
}
