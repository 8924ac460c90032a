import type { Paths } from 'sluice/api'

/** The parts of a device's configuration that the form changes. */
export type DeviceConfig = {
  readonly name: string
  readonly expiration: number
  readonly heartBeatInterval: number
  readonly heartBeatCount: number
  /** Undefined where the device does not have it. */
  readonly frameMirror: 0 | 1 | 2 | 3 | undefined
  readonly alarmReport: { readonly motionDetection: boolean; readonly fieldDetection: boolean } | undefined
}

type Changes = NonNullable<Paths['POST /gb28181/api/config/{deviceId}/{channelId}']['body']>
type Answered = Readonly<Record<string, unknown>>

const MIRRORS = [0, 1, 2, 3] as const

/** The parts that a device is asked for: those of 2022 only where it knows them. */
export function configTypes(isNewer: boolean): string {
  return isNewer ? 'BasicParam,FrameMirror,AlarmReport' : 'BasicParam'
}

/** Reads the parts of an answer, whose values are texts by the names of the standard. */
export function parseConfig(parts: Answered): DeviceConfig {
  const basic = fieldsOf(parts['BasicParam'])
  const alarms = parts['AlarmReport'] === undefined ? undefined : fieldsOf(parts['AlarmReport'])
  const mirror = parts['FrameMirror']
  const name = basic['Name']
  const mode = Number(typeof mirror === 'string' ? mirror : (fieldsOf(mirror)['FrameMirror'] ?? NaN))
  return {
    name: typeof name === 'string' ? name : '',
    expiration: Number(basic['Expiration'] ?? 0),
    heartBeatInterval: Number(basic['HeartBeatInterval'] ?? 0),
    heartBeatCount: Number(basic['HeartBeatCount'] ?? 0),
    frameMirror: MIRRORS.find((one) => one === mode),
    alarmReport: alarms && {
      motionDetection: alarms['MotionDetection'] === '1',
      fieldDetection: alarms['FieldDetection'] === '1',
    },
  }
}

/** The request for what differs; undefined where nothing does. */
export function configChanges(before: DeviceConfig, after: DeviceConfig): Changes | undefined {
  const { name, expiration, heartBeatInterval, heartBeatCount, frameMirror, alarmReport } = after
  const basicParam = { name, expiration, heartBeatInterval, heartBeatCount }
  const isBasicChanged = Object.entries(basicParam).some(([key, value]) => before[key as keyof DeviceConfig] !== value)
  const changes = {
    ...(isBasicChanged && { basicParam }),
    ...(frameMirror !== undefined && frameMirror !== before.frameMirror && { frameMirror }),
    ...(alarmReport !== undefined &&
      (alarmReport.motionDetection !== before.alarmReport?.motionDetection ||
        alarmReport.fieldDetection !== before.alarmReport.fieldDetection) && { alarmReport }),
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}

function fieldsOf(part: unknown): Answered {
  return typeof part === 'object' && part !== null ? (part as Answered) : {}
}
