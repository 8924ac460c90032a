import type { Recording } from '../playback/recording.ts'
import type { RecordingBytes } from '../playback/recording-bytes.ts'
import type { RecordingTags } from './recording-tags.ts'
import type { EventLevel, ListedPage, RecordedEvent, RecordedFile, RecordingEvent } from './recorded-file.ts'

/** A stream to record. */
export type RecordingInit = {
  /** The type of the files: `mp4`. */
  readonly type: string
  readonly streamPath: string
  /**
   * The folder below the root of the storage, in which there is one for each stream; `.`, the default, is the root itself.
   */
  readonly filePath?: string
  /** The name of the files without ending, in place of date and time; `{stream}`, `{date}` and `{time}` in it stand for these. */
  readonly fileName?: string
  /** A file ends at the first keyframe after this; 0 is one file. Default 0. */
  readonly fragmentMs?: number
  /** The recording ends after this; 0, the default, is when it is stopped or the stream has ended. */
  readonly durationMs?: number
}

/** An event to record. */
export type EventInit = Partial<RecordingEvent> & {
  readonly type: string
  readonly streamPath: string
  /** The time before the event that is recorded, as far as the stream's buffer has it. Default `beforeduration` of the plugin. */
  readonly beforeMs?: number
  /** The time after its beginning that is recorded. Default `afterduration` of the plugin. */
  readonly afterMs?: number
  readonly fragmentMs?: number
}

/** A recording that goes on. */
export type ActiveRecording = {
  /** The id of its task. */
  readonly taskId: number
  /** The ids that its task had before the plugin which records was replaced, the oldest first. */
  readonly formerTaskIds: readonly number[]
  readonly type: string
  readonly streamPath: string
  /** The folder of its files below the root of the storage. */
  readonly filePath: string
  readonly mode: 'auto' | 'event'
  readonly fragmentMs: number
  /** True when it appends to files that are there. */
  readonly append: boolean
  readonly startMs: number
  /** The file that is being written; undefined while there is none. */
  readonly file: RecordedFile | undefined
}

/** A filter of recordings; an unset field lets all pass. Times are milliseconds since the Unix epoch. */
export type RecordedFilter = {
  readonly type?: string
  /** A path, in which each `*` stands for any text. */
  readonly streamPath?: string
  /** Recordings that overlap this time. */
  readonly startMs?: number | undefined
  readonly endMs?: number | undefined
  readonly mode?: 'auto' | 'event'
  readonly eventLevel?: EventLevel
  readonly ids?: readonly number[]
}

/** The number of a stream's recordings, and the time that they span. */
export type CatalogueEntry = {
  readonly streamPath: string
  readonly count: number
  readonly startMs: number
  readonly endMs: number
}

/** The recordings of a stream to play. */
export type PlaybackInit = {
  /** The type of the files; unless given, the type with the most files in this time. */
  readonly type?: string
  readonly streamPath: string
  readonly startMs: number | undefined
  readonly endMs: number | undefined
  /** Only files by this clock; see `RecordedFile.clockMs`. All unless given. */
  readonly clockMs?: number | undefined
}

/**
 * Says where a stream that is published is to be recorded, besides the rules of the config; undefined where it is not. The files are of
 * the usual type (see `RecordService.isUsual`).
 */
export type RecordingSource = (
  streamPath: string,
) => { readonly folder: string; readonly fragmentMs: number } | undefined

/** The recordings of the server, as plugins ask for them. */
export interface Recordings {
  readonly tags: RecordingTags
  /**
   * Starts to record a stream, and waits a little for its first picture. Where there is no publisher, it waits for one, and
   * on-demand sources are asked, as for a subscriber.
   * @throws {InvalidRequest} no plugin records this type, or a path leads out of the storage
   * @throws {SluiceError} 409: it is recorded there already; 502: it could not begin; 503: the server is stopping
   */
  start(init: RecordingInit): Promise<ActiveRecording>
  /**
   * Records an event. While the stream is being recorded, that recording has it; an event that goes on is made longer.
   * @throws as `start`, and for text with a NUL
   */
  startEvent(init: EventInit): Promise<RecordedEvent>
  /**
   * Stops the recordings of a stream, and waits until their files are whole.
   * @returns those that were stopped
   */
  stop(type: string, streamPath: string): Promise<ActiveRecording[]>
  /**
   * Stops one recording, and waits until its files are whole. Other recordings of the stream go on.
   * @param taskId the id of its task, or a former one
   * @returns it; undefined when it has ended already
   */
  stopTask(taskId: number): Promise<ActiveRecording | undefined>
  /** Returns the recordings that go on. */
  active(): ActiveRecording[]
  /**
   * Asks `source`, besides the rules, where streams are to be recorded: now for all streams, later when one is published or the
   * plugins change. Add it again to the service of a newer generation; its recordings go on until then.
   * @returns takes it back: its recordings end with the next change of the plugins
   */
  addSource(source: RecordingSource): () => void
  /**
   * Returns the files, the newest first, and their number in all.
   * @throws {StoreUnavailable} there is no database
   */
  list(filter: RecordedFilter, page: ListedPage): Promise<{ readonly total: number; readonly files: RecordedFile[] }>
  /** Returns the events, the newest first. @throws {StoreUnavailable} */
  listEvents(
    filter: RecordedFilter,
    page: ListedPage,
  ): Promise<{ readonly total: number; readonly events: RecordedEvent[] }>
  /** Returns the streams that have recordings, by path. @throws {StoreUnavailable} */
  catalogue(type: string): Promise<CatalogueEntry[]>
  /**
   * Deletes files that are not being written, and their rows in the database.
   * @returns those that were deleted
   * @throws {InvalidRequest} the filter names neither ids nor a time
   * @throws {StoreUnavailable}
   */
  remove(filter: RecordedFilter): Promise<RecordedFile[]>
  /**
   * Returns the files of a stream in a time, one after another; those that are being written, too.
   * @throws {StoreUnavailable}
   */
  find(init: PlaybackInit): Promise<RecordedFile[]>
  /**
   * Opens the bytes of a file, here or in a remote storage. They are the caller's to close.
   * @throws {Error} with the fault in its message, and no path of the file system
   */
  openBytes(file: RecordedFile, signal?: AbortSignal): Promise<RecordingBytes>
  /** Returns an address of a file in a remote storage; undefined for a file that lies here. */
  remoteUrl(file: RecordedFile): Promise<string | undefined>
  /**
   * Opens recordings of a stream as one, from the keyframe at or before the start. Its times have no gaps where nothing was recorded. It
   * opens files as it comes to them.
   * @throws {StreamNotFound} there is none in this time
   */
  open(init: PlaybackInit, signal: AbortSignal): Promise<Recording>
}
