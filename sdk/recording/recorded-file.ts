/**
 * The level of an event. Recordings of the level `low` are deleted when their time is over; those of `high` stay until
 * somebody deletes them.
 */
export type EventLevel = 'high' | 'low'

/** Why something was recorded, as the one who asked for it says. */
export type RecordingEvent = {
  readonly eventId: string
  readonly eventName: string
  readonly eventDesc: string
  readonly eventLevel: EventLevel
}

/** A file that a stream was recorded in, or is being. Times are milliseconds since the Unix epoch. */
export type RecordedFile = {
  /** Counts from 1; 0 while the database is away that keeps it. */
  readonly id: number
  /** The type of the recording, which is that of its {@link RecordService}: `mp4`. */
  readonly type: string
  readonly streamPath: string
  /** The path below the root of the storage, with `/` between the parts. */
  readonly filePath: string
  /** When its first picture came. */
  readonly startMs: number
  /** When its last one is over; of one that is being written, so far. */
  readonly endMs: number
  /**
   * The clock of its dates: the date at which the server was started, by the clock as it was when the file was begun; 0 for
   * files of older versions. A clock that is set begins another file, and one that is set back repeats dates: files of two
   * clocks may have the same dates, and never the same media.
   */
  readonly clockMs: number
  readonly sizeBytes: number
  /** How much of it comes before its media: the init segment, in fragmented MP4. */
  readonly headBytes: number
  /**
   * The times at which it can be cut: keyframes about ten seconds apart, in whole milliseconds from its beginning. A
   * recording without pictures can be cut at any time.
   */
  readonly cutsMs: readonly number[]
  /** The codecs of its main tracks, as `h264`; empty where it has none. */
  readonly videoCodec: string
  readonly audioCodec: string
  /** `event` where it was made for one. */
  readonly mode: 'auto' | 'event'
  readonly event: RecordingEvent | undefined
  /** It is being written. */
  readonly isActive: boolean
  readonly createdMs: number
}

/** An event of a stream, with the part of its recordings that it is in. */
export type RecordedEvent = RecordingEvent & {
  readonly id: number
  readonly type: string
  readonly streamPath: string
  /** The file in which it begins. */
  readonly filePath: string
  readonly startMs: number
  readonly endMs: number
}

/** A part of a list. */
export type ListedPage = { readonly limit: number; readonly offset: number }
