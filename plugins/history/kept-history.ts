import type { Insertable } from 'kysely'
import type { TaskRow } from './history-tables.ts'

/** The row of an ended task, but for its run, which may have no row yet. */
export type EndedRow = Omit<Insertable<TaskRow>, 'session_id'>

/** The state that all generations of the plugin share. */
export type KeptHistory = {
  /** The id of this run's row; undefined until it was read or written. */
  runId: number | undefined
  /** The end of this run; undefined while it goes on. */
  endTime: Date | undefined
  /** Settles when the latest write is over; never rejects. */
  writing: Promise<unknown>
  /** The rows that were written, among those that a generation still has. */
  readonly written: WeakSet<EndedRow>
  /** Has the newest generation write rows that another one could not write; undefined while there is none. */
  takeIn: ((rows: readonly EndedRow[]) => void) | undefined
}

export function newHistory(): KeptHistory {
  return { runId: undefined, endTime: undefined, writing: Promise.resolve(), written: new WeakSet(), takeIn: undefined }
}

/** Does a write after those that all generations have begun before, as they write the same rows. */
export function writeInTurn<Result>(kept: KeptHistory, write: () => Promise<Result>): Promise<Result> {
  const written = kept.writing.then(write)
  kept.writing = written.catch(() => {})
  return written
}
