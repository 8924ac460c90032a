import type { TaskRow } from './history-tables.ts'
import type { Insertable } from 'kysely'

/** The row of an ended task, but for its run, which may have no row yet. */
export type EndedRow = Omit<Insertable<TaskRow>, 'session_id'>

/** What all generations of the plugin have in common. */
export type KeptHistory = {
  /** Of this run's row; undefined while the database is not known to have it. */
  runId: number | undefined
  /** The end of this run; undefined while it goes on. */
  endTime: Date | undefined
  /** Settles when the write that was begun last is over; it does not reject. */
  writing: Promise<unknown>
  /** The rows that were written, as long as a generation has them still. */
  readonly written: WeakSet<EndedRow>
  /** Takes rows that another generation could not write; undefined while no generation is the newest. */
  takeIn: ((rows: readonly EndedRow[]) => void) | undefined
}

export function newHistory(): KeptHistory {
  return { runId: undefined, endTime: undefined, writing: Promise.resolve(), written: new WeakSet(), takeIn: undefined }
}

/** Writes after all other generations have written what they had begun to: they write the same rows. */
export function writeInTurn<Result>(kept: KeptHistory, write: () => Promise<Result>): Promise<Result> {
  const written = kept.writing.then(write)
  kept.writing = written.catch(() => {})
  return written
}
