import type { RecordingSource } from 'sluice/sdk'
import type { FileEntry } from './catalogue/file-entry.ts'
import type { StorageProblem, WatchedPlace } from './files/storage-watch.ts'
import type { RunningRecording } from './record/hand-over.ts'

/** Functions of the newest generation, which removes them at its end. */
export type NewestGeneration = {
  /**
   * Ends the tasks that only one generation may do, since another generation takes over.
   * @param buffered resolves when the other generation buffers streams for events
   * @returns resolves when this generation uploads no more files
   */
  readonly retire: (buffered: Promise<void>) => Promise<void>
  /** Takes over entries that are not stored in the database yet. */
  readonly store: (entries: readonly FileEntry[]) => void
  /** Takes over a finished file that goes to the bucket. */
  readonly send: (entry: FileEntry) => void
}

/** The state that all generations of the plugin share. */
export type Kept = {
  /** The start of the first generation, in Unix milliseconds: no generation writes older files. */
  readonly startMs: number
  /** The files that are being written. */
  readonly active: Set<FileEntry>
  /** The paths of locked files: they are being created, continued, moved or deleted. */
  readonly held: Set<string>
  /** The running recordings by place; see `recordingPlace`. Where several generations have one, the newest generation's. */
  readonly recordings: Map<string, RunningRecording>
  /** The places of recordings by rules that ended before their stream, by stream path, with the start of the publisher. */
  readonly over: Map<string, { readonly publishedMs: number; readonly places: Set<string> }>
  readonly sources: Set<RecordingSource>
  /** The types of recordings that were recovered after the start. */
  readonly recovered: Set<string>
  /** The reasons for which plugins may write nothing at present, by plugin. */
  readonly full: Map<string, string>
  readonly problems: Map<WatchedPlace, StorageProblem>
  readonly clock: { zeroMs: number | undefined }
  /** The number of viewers that were led to recordings, which makes each viewer's path unique. */
  readonly leads: { count: number }
  newest: NewestGeneration | undefined
}

/** The key of {@link Kept} in `ctx.keep`. Another shape needs another key. */
export const KEPT_NAME = 'recordings-1'

export function createKept(): Kept {
  return {
    startMs: Date.now(),
    active: new Set(),
    held: new Set(),
    recordings: new Map(),
    over: new Map(),
    sources: new Set(),
    recovered: new Set(),
    full: new Map(),
    problems: new Map(),
    clock: { zeroMs: undefined },
    leads: { count: 0 },
    newest: undefined,
  }
}
