import type { GbDeviceOptions, GbRecording } from '../device-options.ts'
import type { Quirks } from '../quirks.ts'
import type { ReceivedBody } from './body.ts'
import { pagedAnswers } from './catalog.ts'
import { dateTimeText, parseDateTime } from './date-time.ts'
import { element, elementsOf, textOf, type XmlElement } from './xml.ts'

/** The recordings of a channel that overlap a span, the first one first. */
export function recordingsIn(
  all: readonly GbRecording[],
  channelId: string,
  span: { readonly start: Date; readonly end: Date; readonly type?: string | undefined },
): GbRecording[] {
  const { start, end, type = 'all' } = span
  return all
    .filter((recording) => recording.channelId === undefined || recording.channelId === channelId)
    .filter((recording) => type === 'all' || type === (recording.type ?? 'time'))
    .filter((recording) => recording.start < end && recording.end > start)
    .toSorted((a, b) => a.start.getTime() - b.start.getTime())
}

/** The time that recordings have in a span, in milliseconds. */
export function recordedMs(recordings: readonly GbRecording[], start: Date, end: Date): number {
  return recordings.reduce((sum, recording) => {
    const from = Math.max(recording.start.getTime(), start.getTime())
    const to = Math.min(recording.end.getTime(), end.getTime())
    return sum + Math.max(0, to - from)
  }, 0)
}

/** The messages that answer a query for recordings (A.2.4.5 and A.2.6.6). */
export function recordAnswers(query: ReceivedBody, device: GbDeviceOptions, quirks: Quirks): XmlElement[] {
  const { root, deviceId } = query
  const start = parseDateTime(textOf(root, 'StartTime')) ?? new Date(0)
  const end = parseDateTime(textOf(root, 'EndTime')) ?? new Date(8_640_000_000_000_000)
  const found = recordingsIn(device.recordings ?? [], deviceId, { start, end, type: textOf(root, 'Type') })
  const ordered = quirks.has('record-reversed') ? found.toReversed() : found
  const items = ordered.map((recording) => recordItem(recording, deviceId, quirks))
  const fields = elementsOf({ Name: device.name ?? 'gb-device' })
  return pagedAnswers(query, { list: 'RecordList', items, pageSize: device.pageSize, fields })
}

function recordItem(recording: GbRecording, channelId: string, quirks: Quirks): XmlElement {
  const style = quirks.has('record-zone-times')
    ? 'zone'
    : quirks.has('record-millisecond-times')
      ? 'milliseconds'
      : 'plain'
  const { name, start, end, type, filePath, recorderId, fileSizeBytes } = recording
  return element(
    'Item',
    elementsOf({
      DeviceID: channelId,
      Name: name ?? 'recording',
      FilePath: filePath,
      Address: 'Address',
      StartTime: dateTimeText(start, style),
      EndTime: dateTimeText(end, style),
      Secrecy: 0,
      Type: type ?? 'time',
      RecorderID: recorderId,
      FileSize: fileSizeBytes,
    }),
  )
}
