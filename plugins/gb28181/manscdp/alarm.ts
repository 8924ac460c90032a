import type { ManscdpBody, ManscdpMessage } from './message.ts'
import { parseGbTime, type GbClock } from './times.ts'

/** A notice of an alarm (A.2.5.3 of GB/T 28181-2022). */
export type AlarmNotice = {
  /** The device or channel that raises it. */
  readonly deviceId: string
  /** 1 (gravest) to 4; 0 of other values. */
  readonly priority: number
  /** 1–7 of the table of methods; 0 of other values. */
  readonly method: number
  /** Of the table of the method; undefined without one. */
  readonly type: number | undefined
  /** With an intrusion: whether something comes in or goes out. */
  readonly event: 'enter' | 'leave' | undefined
  /** Unix milliseconds; undefined of what is no time. */
  readonly timeMs: number | undefined
  readonly description: string | undefined
  readonly longitude: number | undefined
  readonly latitude: number | undefined
}

/** The meanings of an alarm's numbers; empty of those that no table has. */
export type AlarmDescriptions = { readonly priority: string; readonly method: string; readonly type: string }

/** The method of a device's own alarms, which it repeats until they are reset. */
const DEVICE_METHOD = 2

const PRIORITIES: ReadonlyMap<number, string> = new Map([
  [1, '一级警情'],
  [2, '二级警情'],
  [3, '三级警情'],
  [4, '四级警情'],
])

const METHODS: ReadonlyMap<number, string> = new Map([
  [1, '电话报警'],
  [DEVICE_METHOD, '设备报警'],
  [3, '短信报警'],
  [4, 'GPS报警'],
  [5, '视频报警'],
  [6, '设备故障报警'],
  [7, '其他报警'],
])

/** The types from 1 on, by methods. */
const TYPES: ReadonlyMap<number, readonly string[]> = new Map([
  [DEVICE_METHOD, ['视频丢失报警', '设备防拆报警', '存储设备磁盘满报警', '设备高温报警', '设备低温报警']],
  [
    5,
    [
      '人工视频报警',
      '运动目标检测报警',
      '遗留物检测报警',
      '物体移除检测报警',
      '绊线检测报警',
      '入侵检测报警',
      '逆行检测报警',
      '徘徊检测报警',
      '流量统计报警',
      '密度检测报警',
      '视频异常检测报警',
      '快速移动报警',
      '图像遮挡报警',
    ],
  ],
  [6, ['存储设备磁盘故障报警', '存储设备风扇故障报警']],
])

/** Reads a notice of an alarm. */
export function parseAlarm({ root, deviceId }: ManscdpMessage, zone: GbClock): AlarmNotice {
  const info = root.child('Info')
  const type = info?.integer('AlarmType') ?? root.integer('AlarmType')
  const event = info?.child('AlarmTypeParam')?.integer('EventType')
  return {
    deviceId,
    priority: known(root.integer('AlarmPriority'), PRIORITIES),
    method: known(root.integer('AlarmMethod'), METHODS),
    type,
    event: event === 1 ? 'enter' : event === 2 ? 'leave' : undefined,
    timeMs: parseGbTime(root.text('AlarmTime'), zone),
    description: root.text('AlarmDescription'),
    longitude: root.number('Longitude'),
    latitude: root.number('Latitude'),
  }
}

/** The words of the standard's tables for an alarm (A.2.3.1.6). */
export function describeAlarm(alarm: Pick<AlarmNotice, 'priority' | 'method' | 'type'>): AlarmDescriptions {
  const { priority, method, type = 0 } = alarm
  return {
    priority: PRIORITIES.get(priority) ?? '',
    method: METHODS.get(method) ?? '',
    type: TYPES.get(method)?.[type - 1] ?? '',
  }
}

/** True for an alarm that a device repeats until it is reset (9.4). */
export function needsReset({ method }: AlarmNotice): boolean {
  return method === DEVICE_METHOD
}

/** The answer to a notice of an alarm (A.2.6.3); it has the number of the notice. */
export function alarmResponse(deviceId: string): ManscdpBody {
  return { kind: 'Response', cmdType: 'Alarm', deviceId, fields: [['Result', 'OK']] }
}

function known(value: number | undefined, table: ReadonlyMap<number, string>): number {
  return value !== undefined && table.has(value) ? value : 0
}
