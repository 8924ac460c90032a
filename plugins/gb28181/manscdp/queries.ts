import type { ManscdpBody, ManscdpField } from './message.ts'
import { serializeGbTime, type GbClock } from './times.ts'

/** A time from one moment to another, and the clock of the device that is asked. */
export type GbTimeRange = { readonly startMs: number; readonly endMs: number; readonly zone: GbClock }

/** The reason of a recording. */
export type GbRecordType = 'time' | 'alarm' | 'manual' | 'all'

export type RecordInfoQuery = GbTimeRange & {
  /** Default: `all`. */
  readonly type?: GbRecordType | undefined
  readonly filePath?: string | undefined
  readonly address?: string | undefined
  /** Default: 0, which is not secret. */
  readonly secrecy?: number | undefined
  readonly recorderId?: string | undefined
  /** True asks the other recorders behind the device, too, which takes longer. */
  readonly isIndistinct?: boolean | undefined
  /** 0 is the main stream. Devices of 2022 know it. */
  readonly streamNumber?: number | undefined
}

export type AlarmQuery = {
  /** 1–4, of which 1 is the gravest; 0 is all. */
  readonly startPriority?: number | undefined
  readonly endPriority?: number | undefined
  /** One digit, or several joined by `/`; 0 is all. */
  readonly method?: string | undefined
  readonly type?: number | undefined
  readonly time?: GbTimeRange | undefined
}

/** The parts of a device's configuration (A.2.4.7 of GB/T 28181-2022); the first four are of 2016. */
export type GbConfigType =
  | 'BasicParam'
  | 'VideoParamOpt'
  | 'SVACEncodeConfig'
  | 'SVACDecodeConfig'
  | 'VideoParamAttribute'
  | 'VideoRecordPlan'
  | 'VideoAlarmRecord'
  | 'PictureMask'
  | 'FrameMirror'
  | 'AlarmReport'
  | 'OSDConfig'
  | 'SnapShotConfig'

/**
 * Asks for the channels of a device or platform (A.2.4.3).
 * @param range asks for those that were added in that time
 */
export function catalogQuery(deviceId: string, range?: GbTimeRange): ManscdpBody {
  return query('Catalog', deviceId, range === undefined ? [] : rangeFields('StartTime', 'EndTime', range))
}

/** Asks for maker, model and firmware (A.2.4.4). */
export function deviceInfoQuery(deviceId: string): ManscdpBody {
  return query('DeviceInfo', deviceId)
}

/** Asks whether a device works, encodes and records, and for its time (A.2.4.2). */
export function deviceStatusQuery(deviceId: string): ManscdpBody {
  return query('DeviceStatus', deviceId)
}

/** Asks for recordings (A.2.4.5). */
export function recordInfoQuery(channelId: string, recordings: RecordInfoQuery): ManscdpBody {
  const { type = 'all', filePath, address, secrecy = 0, recorderId, isIndistinct, streamNumber } = recordings
  return query('RecordInfo', channelId, [
    ...rangeFields('StartTime', 'EndTime', recordings),
    ['FilePath', filePath],
    ['Address', address],
    ['Secrecy', secrecy],
    ['Type', type],
    ['RecorderID', recorderId],
    ['IndistinctQuery', isIndistinct === undefined ? undefined : Number(isIndistinct)],
    ['StreamNumber', streamNumber],
  ])
}

/** Asks for alarms (A.2.4.6). */
export function alarmQuery(deviceId: string, alarms: AlarmQuery = {}): ManscdpBody {
  const { startPriority, endPriority, method, type, time } = alarms
  return query('Alarm', deviceId, [
    ['StartAlarmPriority', startPriority],
    ['EndAlarmPriority', endPriority],
    ['AlarmMethod', method],
    ['AlarmType', type],
    ...(time === undefined ? [] : rangeFields('StartAlarmTime', 'EndAlarmTime', time)),
  ])
}

/** Asks for parts of the configuration (A.2.4.7). */
export function configDownloadQuery(deviceId: string, types: readonly GbConfigType[]): ManscdpBody {
  return query('ConfigDownload', deviceId, [['ConfigType', types.join('/')]])
}

/** Asks for the presets of a camera (A.2.4.8). */
export function presetQuery(channelId: string): ManscdpBody {
  return query('PresetQuery', channelId)
}

/**
 * Asks for the position of what moves, again and again where it is in a subscription (A.2.4.9).
 * @param intervalSeconds the time between two notices
 */
export function mobilePositionQuery(deviceId: string, intervalSeconds = 5): ManscdpBody {
  return query('MobilePosition', deviceId, [['Interval', intervalSeconds]])
}

/** Asks to which preset a camera goes back by itself (A.2.4.10). Devices of 2022 know it, as all that follow. */
export function homePositionQuery(channelId: string): ManscdpBody {
  return query('HomePositionQuery', channelId)
}

/** Asks for the tours of a camera (A.2.4.11). */
export function cruiseTrackListQuery(channelId: string): ManscdpBody {
  return query('CruiseTrackListQuery', channelId)
}

/** Asks for the points of a tour (A.2.4.12). */
export function cruiseTrackQuery(channelId: string, track: number): ManscdpBody {
  return query('CruiseTrackQuery', channelId, [['Number', track]])
}

/** Asks where a camera looks (A.2.4.13). */
export function ptzPositionQuery(channelId: string): ManscdpBody {
  return query('PTZPosition', channelId)
}

/** Asks for the memory cards of a device (A.2.4.14). */
export function sdCardStatusQuery(deviceId: string): ManscdpBody {
  return query('SDCardStatus', deviceId)
}

function query(cmdType: string, deviceId: string, fields: readonly ManscdpField[] = []): ManscdpBody {
  return { kind: 'Query', cmdType, deviceId, fields }
}

function rangeFields(start: string, end: string, { startMs, endMs, zone }: GbTimeRange): readonly ManscdpField[] {
  return [
    [start, serializeGbTime(startMs, zone)],
    [end, serializeGbTime(endMs, zone)],
  ]
}
