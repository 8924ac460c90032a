/** Work of the server on a stream, as lists, logs and notices show it to operators. */
export type StreamTask = {
  readonly kind: 'pull' | 'push' | 'record' | 'transform'
  readonly streamPath: string
  /** The plugin that does it. */
  readonly plugin: string
  /** The text for operators, such as the masked address of the other server; nothing secret. */
  readonly description: string
  /** The path of a recording's file, as the list of files has it. */
  readonly filePath?: string
}

/** The end of a task's work. */
export type StreamTaskEnd = {
  /** The reason for logs and people, with nothing secret. */
  readonly reason: string
  /** True when it failed, and is tried again. */
  readonly isRetried: boolean
}

/** An event that operators should know, such as a full disk. */
export type AlarmNotice = {
  /** The name in lower case and with underscores, such as `disk_full`. */
  readonly name: string
  /** A sentence for people, with nothing secret. */
  readonly description: string
  /** The name of the plugin that raises it. */
  readonly plugin: string
  /** The kind, as in `alarmType` of the API (docs/alarms.md); 0, none of those, unless given. */
  readonly type?: number
  readonly streamPath?: string
  readonly filePath?: string
}
