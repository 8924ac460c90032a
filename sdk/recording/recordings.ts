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
   * The folder below the root of the storage, with a folder for each stream in it; `.`, the default, is the root itself.
   */
  readonly filePath?: string
  /** The name of the files without extension; `{stream}`, `{date}` and `{time}` in it are replaced. Default `{date}-{time}`. */
  readonly fileName?: string
  /** The duration after which a file ends at the next keyframe; 0 for one file. Default 0. */
  readonly fragmentMs?: number
  /** The duration after which the recording ends; with 0, the default, it ends when it is stopped or the stream has ended. */
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

/** A running recording. */
export type ActiveRecording = {
  /** The id of its task. */
  readonly taskId: number
  /** The ids of its former tasks, from before the plugin `recording` was replaced, the oldest first. */
  readonly formerTaskIds: readonly number[]
  readonly type: string
  readonly streamPath: string
  /** The folder of its files below the root of the storage. */
  readonly filePath: string
  readonly mode: 'auto' | 'event'
  readonly fragmentMs: number
  /** True when it appends to existing files. */
  readonly append: boolean
  readonly startMs: number
  /** The file that is being written; undefined while there is none. */
  readonly file: RecordedFile | undefined
}

/** A filter of recordings; a field that is not set matches all. Times are milliseconds since the Unix epoch. */
export type RecordedFilter = {
  readonly type?: string
  /** A path, in which each `*` stands for any text. */
  readonly streamPath?: string
  /** The start of a time range, which matching recordings overlap. */
  readonly startMs?: number | undefined
  /** The end of this range. */
  readonly endMs?: number | undefined
  readonly mode?: 'auto' | 'event'
  readonly eventLevel?: EventLevel
  readonly ids?: readonly number[]
}

/** The number of a stream's recordings, and the time that they span. */
export type CatalogueEntry = {
  readonly streamPath: string
  readonly type: string
  readonly count: number
  readonly sizeBytes: number
  readonly startMs: number
  readonly endMs: number
}

/** The recordings of a stream to play. */
export type PlaybackInit = {
  /** The type of the files; unless given, the type with the files that cover most of this time. */
  readonly type?: string
  readonly streamPath: string
  readonly startMs: number | undefined
  readonly endMs: number | undefined
  /** Only files by this clock; see `RecordedFile.clockMs`. All files unless given. */
  readonly clockMs?: number | undefined
}

/**
 * Returns the folder in which a published stream is recorded besides the rules of the config, and the duration of its files in
 * milliseconds; undefined when it is not recorded. The files are of the usual type (see `RecordService.isUsual`).
 */
export type RecordingSource = (
  streamPath: string,
) => { readonly folder: string; readonly fragmentMs: number } | undefined

/** The recordings of the server, which plugins use as the service `recordings`. */
export interface Recordings {
  readonly tags: RecordingTags
  /**
   * Starts to record a stream, and waits a little for its first picture. Without a publisher, the recording waits for one, and
   * on-demand sources are asked, as for a subscriber.
   * @throws {InvalidRequest} no plugin records this type, or a path leads out of the storage
   * @throws {SluiceError} 409: the stream is recorded there already; 502: the recording could not begin; 503: the server is stopping
   */
  start(init: RecordingInit): Promise<ActiveRecording>
  /**
   * Records an event. While the stream is being recorded, the event is a part of that recording; the recording of an event is made longer.
   * @throws as `start`, and for text with a NUL
   */
  startEvent(init: EventInit): Promise<RecordedEvent>
  /**
   * Stops the recordings of a stream, and waits until their files are finished.
   * @returns the recordings that were stopped
   */
  stop(type: string, streamPath: string): Promise<ActiveRecording[]>
  /**
   * Stops one recording, and waits until its files are finished. Other recordings of the stream continue.
   * @param taskId the id of its task, or a former one
   * @returns the recording; undefined when it has ended already
   */
  stopTask(taskId: number): Promise<ActiveRecording | undefined>
  /** Returns the running recordings. */
  active(): ActiveRecording[]
  /**
   * Asks `source`, besides the rules, for the folders of streams: now for all streams, later when one is published or
   * the plugins change. Add it again to the service of a newer generation; its recordings continue until then.
   * @returns a function that removes the source; its recordings end with the next change of the plugins
   */
  addSource(source: RecordingSource): () => void
  /**
   * Returns the files, the newest first, and their total number.
   * @throws {StoreUnavailable} there is no database
   */
  list(filter: RecordedFilter, page: ListedPage): Promise<{ readonly total: number; readonly files: RecordedFile[] }>
  /** Returns the events, the newest first. @throws {StoreUnavailable} */
  listEvents(
    filter: RecordedFilter,
    page: ListedPage,
  ): Promise<{ readonly total: number; readonly events: RecordedEvent[] }>
  /**
   * Returns the streams that have recordings, by path.
   * @param type those of all types unless given: a stream then has an entry for each of its types
   * @throws {StoreUnavailable}
   */
  catalogue(type?: string): Promise<CatalogueEntry[]>
  /**
   * Deletes files that are not being written, and their rows in the database.
   * @returns the deleted files
   * @throws {InvalidRequest} the filter names neither ids nor a time
   * @throws {StoreUnavailable}
   */
  remove(filter: RecordedFilter): Promise<RecordedFile[]>
  /**
   * Returns the files of a stream in a time, the oldest first; those that are being written, too.
   * @throws {StoreUnavailable}
   */
  find(init: PlaybackInit): Promise<RecordedFile[]>
  /**
   * Opens the bytes of a file, on this machine or in a remote storage. The caller closes them.
   * @throws {Error} with the fault in its message, and no path of the file system
   */
  openBytes(file: RecordedFile, signal?: AbortSignal): Promise<RecordingBytes>
  /** Returns an address of a file in a remote storage; undefined for a file on this machine. */
  remoteUrl(file: RecordedFile): Promise<string | undefined>
  /**
   * Opens recordings of a stream as one, from the keyframe at or before the start. Its times have no gaps where nothing was recorded. Each
   * file is opened when its turn comes.
   * @throws {StreamNotFound} there is no recording in this time
   */
  open(init: PlaybackInit, signal: AbortSignal): Promise<Recording>
}
