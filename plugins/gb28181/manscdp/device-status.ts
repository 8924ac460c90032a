import type { XmlElement } from './element.ts'
import type { ManscdpMessage } from './message.ts'
import { isResultOk } from './result.ts'
import { parseGbTime, type GbClock } from './times.ts'

/** The status of a device (A.2.6.6 of GB/T 28181-2022). A field that it does not state is undefined. */
export type DeviceStatus = {
  readonly isOk: boolean
  readonly isOnline: boolean | undefined
  readonly isWorking: boolean | undefined
  /** The reason why it does not work. */
  readonly reason: string | undefined
  readonly isEncoding: boolean | undefined
  readonly isRecording: boolean | undefined
  /** Its own time, in Unix milliseconds. */
  readonly deviceTimeMs: number | undefined
  readonly alarms: readonly DeviceAlarmStatus[]
}

/** Whether an alarm input is on guard. */
export type DeviceAlarmStatus = {
  readonly deviceId: string
  readonly duty: 'ONDUTY' | 'OFFDUTY' | 'ALARM' | undefined
}

const DUTIES = ['ONDUTY', 'OFFDUTY', 'ALARM'] as const
const YES = /^(?:ON|ONLINE|OK|1|TRUE)$/iu
const NO = /^(?:OFF|OFFLINE|ERROR|0|FALSE)$/iu

/** Reads an answer to a query of the status. */
export function parseDeviceStatus(message: ManscdpMessage, zone: GbClock): DeviceStatus {
  const { root } = message
  return {
    isOk: isResultOk(message),
    isOnline: flagOf(root, 'Online'),
    isWorking: flagOf(root, 'Status'),
    reason: root.text('Reason'),
    isEncoding: flagOf(root, 'Encode'),
    isRecording: flagOf(root, 'Record'),
    deviceTimeMs: parseGbTime(root.text('DeviceTime'), zone),
    alarms: root.child('AlarmStatus')?.all('Item').flatMap(alarmOf) ?? [],
  }
}

function flagOf(root: XmlElement, name: string): boolean | undefined {
  const text = root.text(name) ?? ''
  if (YES.test(text)) return true
  return NO.test(text) ? false : undefined
}

function alarmOf(item: XmlElement): DeviceAlarmStatus[] {
  const deviceId = item.text('DeviceID')
  const duty = item.text('DutyStatus')?.toUpperCase()
  return deviceId === undefined ? [] : [{ deviceId, duty: DUTIES.find((each) => each === duty) }]
}
