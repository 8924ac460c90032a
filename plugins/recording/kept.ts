import type { RecordingSource } from 'sluice/sdk'
import type { FileEntry } from './catalogue/file-entry.ts'
import type { StorageProblem, WatchedPlace } from './files/storage-watch.ts'
import type { RunningRecording } from './record/hand-over.ts'

/** Functions of the newest generation, which takes them out again at its end. */
export type NewestGeneration = {
  /**
   * Has it give up what only one generation can do, as another takes over.
   * @param buffered resolves when the other one keeps streams for events
   * @returns resolves when it uploads files no more
   */
  readonly retire: (buffered: Promise<void>) => Promise<void>
  /** Takes over files of which the database has yet to be told. */
  readonly store: (entries: readonly FileEntry[]) => void
  /** Takes over a file that is whole, for the bucket. */
  readonly send: (entry: FileEntry) => void
}

/** The state that all generations of the plugin share. */
export type Kept = {
  /** When the first of them started: older files are written by nobody. */
  readonly startMs: number
  /** The files that are being written. */
  readonly active: Set<FileEntry>
  /** The paths of files that something is done with that nothing else may be done with meanwhile. */
  readonly held: Set<string>
  /** The recordings that go on, by place: of several generations, that of the newest. */
  readonly recordings: Map<string, RunningRecording>
  /** The places of rules that were over before their stream, by stream, with the start of its publisher. */
  readonly over: Map<string, { readonly publishedMs: number; readonly places: Set<string> }>
  readonly sources: Set<RecordingSource>
  /** The types whose unfinished files were looked at. */
  readonly recovered: Set<string>
  /** The reasons for which plugins may write nothing at present. */
  readonly full: Map<string, string>
  readonly problems: Map<WatchedPlace, StorageProblem>
  readonly clock: { zeroMs: number | undefined }
  /** How many viewers were led to recordings: each has a path of its own. */
  readonly leads: { count: number }
  newest: NewestGeneration | undefined
}

/** The name of {@link Kept}; another shape takes another one. */
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
