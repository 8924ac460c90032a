/**
 * The level of an event. Recordings of the level `low` are deleted when they expire; those of `high` stay until they
 * are deleted by hand.
 */
export type EventLevel = 'high' | 'low'

/** The reason for a recording, as its client states it. */
export type RecordingEvent = {
  readonly eventId: string
  readonly eventName: string
  readonly eventDesc: string
  readonly eventLevel: EventLevel
}

/** A file in which a stream was recorded, or is being recorded. Times are milliseconds since the Unix epoch. */
export type RecordedFile = {
  /** The number of the file, from 1; 0 while the database that keeps it is away. */
  readonly id: number
  /** The type of the recording, which is that of its {@link RecordService}: `mp4`. */
  readonly type: string
  readonly streamPath: string
  /** The path below the root of the storage, with `/` between the parts. */
  readonly filePath: string
  /** The time of its first picture. */
  readonly startMs: number
  /** The end of its last picture; the end so far for a file that is being written. */
  readonly endMs: number
  /**
   * The clock of its dates: the date at which the server was started, by the clock as it was when the file was begun; 0 for
   * files of older versions. A clock that is set begins another file, and one that is set back repeats dates: files of two
   * clocks may have the same dates, and never the same media.
   */
  readonly clockMs: number
  readonly sizeBytes: number
  /** The bytes before its media: the init segment, in fragmented MP4. */
  readonly headBytes: number
  /**
   * The times at which it can be cut: keyframes about ten seconds apart, in whole milliseconds from its beginning. A
   * recording without pictures can be cut at any time.
   */
  readonly cutsMs: readonly number[]
  /** The codec of its main video track, such as `h264`; empty when it has none. */
  readonly videoCodec: string
  /** The codec of its main audio track, such as `aac`; empty when it has none. */
  readonly audioCodec: string
  /** `event` for a file that was made for an event. */
  readonly mode: 'auto' | 'event'
  readonly event: RecordingEvent | undefined
  /** True while it is being written. */
  readonly isActive: boolean
  readonly createdMs: number
}

/** An event of a stream, with its time in the recordings of the stream. */
export type RecordedEvent = RecordingEvent & {
  readonly id: number
  readonly type: string
  readonly streamPath: string
  /** The file in which it begins. */
  readonly filePath: string
  readonly startMs: number
  readonly endMs: number
}

/** A page of a list: `limit` items at most, after the first `offset` items. */
export type ListedPage = { readonly limit: number; readonly offset: number }
