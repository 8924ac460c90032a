/** Work of the server on a stream that operators are told of. */
export type StreamTask = {
  readonly kind: 'pull' | 'push' | 'record' | 'transform'
  readonly streamPath: string
  /** The plugin that does it. */
  readonly plugin: string
  /** What people are told of it, such as the masked address of the other server; nothing secret. */
  readonly description: string
  /** Of a recording: the file, as it is listed. */
  readonly filePath?: string
}

/** Why a task does nothing any more. */
export type StreamTaskEnd = {
  /** For logs and people, with nothing secret. */
  readonly reason: string
  /** It failed, and is tried again. */
  readonly isRetried: boolean
}

/** Something that operators are to know of, such as a full disk. */
export type AlarmNotice = {
  /** In lower case and with underscores, such as `disk_full`. */
  readonly name: string
  /** A sentence for people, with nothing secret. */
  readonly description: string
  /** Who tells: the name of the plugin. */
  readonly plugin: string
  /** The kind, as in `alarmType` of the API (docs/alarms.md); 0, none of those, unless given. */
  readonly type?: number
  readonly streamPath?: string
  readonly filePath?: string
}
