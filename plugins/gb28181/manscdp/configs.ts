import type { ManscdpBody, ManscdpField } from './message.ts'
import type { GbConfigType } from './queries.ts'

/** Pictures that a device takes by itself and sends by HTTP (A.2.1.24 of GB/T 28181-2022). */
export type SnapshotOrder = {
  /** 1–10 pictures. */
  readonly count: number
  /** The time between two of them, 1 or above. */
  readonly intervalSeconds: number
  readonly uploadUrl: string
  /** 32–128 letters, digits and hyphens, by which the pictures are known again. */
  readonly sessionId: string
}

/** A.2.1.19; what is left out stays as it is. */
export type BasicParameters = {
  readonly name?: string | undefined
  readonly expirationSeconds?: number | undefined
  readonly heartbeatIntervalSeconds?: number | undefined
  /** So many heartbeats may fail until a device is offline. */
  readonly heartbeatCount?: number | undefined
}

/** Other parts of the configuration, by the names that the standard has for them. */
export type GbDeviceConfig =
  /** A.2.1.23: 0 as it is, 1 left and right, 2 top and bottom, 3 both. */
  | { readonly type: 'FrameMirror'; readonly mode: 0 | 1 | 2 | 3 }
  /** A.2.1.18: which events are told as alarms. */
  | { readonly type: 'AlarmReport'; readonly tellsMotion: boolean; readonly tellsIntrusion: boolean }
  /** A.2.1.16: what is recorded around an alarm. */
  | {
      readonly type: 'VideoAlarmRecord'
      readonly isEnabled: boolean
      readonly afterSeconds?: number | undefined
      readonly beforeSeconds?: number | undefined
      readonly streamNumber: number
    }
  /** A.2.1.15: when a device records, by days of the week. */
  | {
      readonly type: 'VideoRecordPlan'
      readonly isEnabled: boolean
      readonly days: readonly RecordPlanDay[]
      readonly streamNumber: number
    }

export type RecordPlanDay = {
  /** 1 (Monday) to 7. */
  readonly weekDay: number
  /** At most 8 times of the day. */
  readonly segments: readonly { readonly start: TimeOfDay; readonly stop: TimeOfDay }[]
}

export type TimeOfDay = { readonly hour: number; readonly minute: number; readonly second: number }

/** Orders pictures of a channel. */
export function snapshotControl(channelId: string, order: SnapshotOrder): ManscdpBody {
  return config(channelId, 'SnapShotConfig', [
    ['SnapNum', order.count],
    ['Interval', order.intervalSeconds],
    ['UploadURL', order.uploadUrl],
    ['SessionID', order.sessionId],
  ])
}

/** Changes the name and the times of a device. */
export function basicParamConfig(deviceId: string, parameters: BasicParameters): ManscdpBody {
  return config(deviceId, 'BasicParam', [
    ['Name', parameters.name],
    ['Expiration', parameters.expirationSeconds],
    ['HeartBeatInterval', parameters.heartbeatIntervalSeconds],
    ['HeartBeatCount', parameters.heartbeatCount],
  ])
}

/** Changes another part of the configuration (A.2.3.2). */
export function deviceConfig(deviceId: string, change: GbDeviceConfig): ManscdpBody {
  switch (change.type) {
    case 'FrameMirror':
      return config(deviceId, change.type, change.mode)
    case 'AlarmReport':
      return config(deviceId, change.type, [
        ['MotionDetection', Number(change.tellsMotion)],
        ['FieldDetection', Number(change.tellsIntrusion)],
      ])
    case 'VideoAlarmRecord':
      return config(deviceId, change.type, [
        ['RecordEnable', Number(change.isEnabled)],
        ['RecordTime', change.afterSeconds],
        ['PreRecordTime', change.beforeSeconds],
        ['StreamNumber', change.streamNumber],
      ])
    case 'VideoRecordPlan':
      return config(deviceId, change.type, [
        ['RecordEnable', Number(change.isEnabled)],
        ['RecordScheduleSumNum', change.days.length],
        ...change.days.map(scheduleOf),
        ['StreamNumber', change.streamNumber],
      ])
  }
}

function config(deviceId: string, type: GbConfigType, value: ManscdpField[1]): ManscdpBody {
  return { kind: 'Control', cmdType: 'DeviceConfig', deviceId, fields: [[type, value]] }
}

function scheduleOf({ weekDay, segments }: RecordPlanDay): ManscdpField {
  return [
    'RecordSchedule',
    [
      ['WeekDayNum', weekDay],
      ['TimeSegmentSumNum', segments.length],
      ...segments.map(({ start, stop }): ManscdpField => [
        'TimeSegment',
        [
          ['StartHour', start.hour],
          ['StartMin', start.minute],
          ['StartSec', start.second],
          ['StopHour', stop.hour],
          ['StopMin', stop.minute],
          ['StopSec', stop.second],
        ],
      ]),
    ],
  ]
}
