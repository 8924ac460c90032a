import type { XmlElement } from './element.ts'
import type { ManscdpMessage } from './message.ts'
import type { GbRecordType } from './queries.ts'
import { parseGbTime, type GbClock } from './times.ts'

/** A recording on a device (A.2.1.10 of GB/T 28181-2022). */
export type RecordItem = {
  /** The channel. */
  readonly deviceId: string
  readonly name: string | undefined
  readonly filePath: string | undefined
  readonly address: string | undefined
  /** Unix milliseconds. */
  readonly startMs: number
  readonly endMs: number
  readonly secrecy: number | undefined
  readonly type: Exclude<GbRecordType, 'all'> | undefined
  readonly recorderId: string | undefined
  readonly fileSizeBytes: number | undefined
  /** 0 is the main stream. */
  readonly streamNumber: number | undefined
}

/** One message of an answer. */
export type RecordInfoPage = {
  /** The items of all messages; undefined where the device does not say. */
  readonly sumNum: number | undefined
  readonly items: readonly RecordItem[]
}

const TYPES = ['time', 'alarm', 'manual'] as const

/**
 * Reads an answer to a query of recordings (A.2.6.7). Items without a time, or that end before they begin, are left out.
 * @param zone the clock of the device, for times without a zone
 */
export function parseRecordInfo({ root, deviceId }: ManscdpMessage, zone: GbClock): RecordInfoPage {
  // Behind a list that ends too early, items are in the root.
  const items = [...(root.child('RecordList')?.all('Item') ?? []), ...root.all('Item')]
  return { sumNum: root.integer('SumNum'), items: items.flatMap((item) => itemOf(item, deviceId, zone) ?? []) }
}

/** The key by which a recording is the same as another. */
export function recordKey({ deviceId, startMs, filePath = '' }: RecordItem): string {
  return `${deviceId} ${startMs} ${filePath}`
}

/** Sorts recordings, the newest first. */
export function newestFirst(items: readonly RecordItem[]): RecordItem[] {
  return items.toSorted((one, other) => other.startMs - one.startMs || other.endMs - one.endMs)
}

function itemOf(item: XmlElement, channelId: string, zone: GbClock): RecordItem | undefined {
  const startMs = parseGbTime(item.text('StartTime'), zone)
  const endMs = parseGbTime(item.text('EndTime'), zone)
  if (startMs === undefined || endMs === undefined || endMs < startMs) return undefined
  const type = item.text('Type')?.toLowerCase()
  return {
    deviceId: item.text('DeviceID') ?? channelId,
    name: item.text('Name'),
    filePath: item.text('FilePath'),
    address: item.text('Address'),
    startMs,
    endMs,
    secrecy: item.integer('Secrecy'),
    type: TYPES.find((each) => each === type),
    recorderId: item.text('RecorderID'),
    fileSizeBytes: item.integer('FileSize'),
    streamNumber: item.integer('StreamNumber'),
  }
}
