/** The `alarmType` of each event of the server (api.md 3.4). Recordings have the types of storage failure and recovery. */
export const ALARM_TYPES = {
  record_end: 0x10010,
  record_start: 0x10011,
  pull_end: 0x10012,
  pull_start: 0x10013,
  system_start: 0x10015,
  publish_end: 0x10016,
  publish_start: 0x10017,
  subscribe_end: 0x10018,
  subscribe_start: 0x10019,
  push_end: 0x10020,
  push_start: 0x10021,
  transform_end: 0x10022,
  transform_start: 0x10023,
  server_keep_alive: 0x10024,
} as const

/** The name of an event of the server, as in the key `hook` of the config. */
export type AlarmName = keyof typeof ALARM_TYPES

/** The longest text of an event, in UTF-16 code units; longer texts are cut. */
const MAX_TEXT_LENGTH = 1024

/** The description of a happening, from which an {@link AlarmEvent} is made. */
export type Happening = {
  readonly description: string
  readonly type?: number | undefined
  readonly streamPath?: string | undefined
  readonly filePath?: string | undefined
}

/** An event, as it is stored and sent to web services. */
export type AlarmEvent = {
  /** The id of its row; 0 while it has none. */
  id: number
  readonly serverInfo: string
  readonly name: string
  readonly type: number
  readonly description: string
  readonly streamPath: string
  readonly filePath: string
  readonly createdMs: number
  isSent: boolean
  updatedMs: number
}

/** Creates an event with the current time. */
export function createEvent(serverInfo: string, name: string, happening: Happening): AlarmEvent {
  const { type = 0, description, streamPath = '', filePath = '' } = happening
  const nowMs = Date.now()
  return {
    id: 0,
    serverInfo,
    name: printable(name),
    type: isInt32(type) ? type : 0,
    description: printable(description),
    streamPath: printable(streamPath),
    filePath: printable(filePath),
    createdMs: nowMs,
    updatedMs: nowMs,
    isSent: false,
  }
}

/** Returns an event as `Alarm` of the API (api.md 3.3), which is also the body of webhooks. */
export function alarmView({ name, type, description, createdMs, updatedMs, ...event }: AlarmEvent) {
  const { id, serverInfo, streamPath, filePath, isSent } = event
  return {
    id,
    serverInfo,
    streamName: streamNameOf(streamPath),
    streamPath,
    alarmName: name,
    alarmDesc: description,
    alarmType: type,
    isSent,
    createdAt: new Date(createdMs).toISOString(),
    updatedAt: new Date(updatedMs).toISOString(),
    filePath,
  }
}

/** Returns the last part of a stream path, which in RTMP follows the app. */
export function streamNameOf(streamPath: string): string {
  return streamPath.slice(streamPath.lastIndexOf('/') + 1)
}

/** Returns a text on one line and of bounded length, which every log and database accepts: reasons may quote other servers. */
function printable(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
}

/** True for a value that fits into an integer column of every database. */
function isInt32(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31
}
