import type { Catalogue } from './catalogue.ts'
import { daysOf, type Day, type Span } from './calendar-days.ts'
import { conditionsOf } from './recording-filter.ts'

/** Files that begin within the same quarter of an hour are one row: no border of days, in any time zone, lies within one. */
const BUCKET_MS = 15 * 60 * 1000

/** The recordings of a stream in a time. */
export type RecordedDaysInit = {
  readonly type: string
  readonly streamPath: string
  readonly startMs: number
  readonly endMs: number
  /** The IANA name of the time zone in which days begin. */
  readonly timeZone: string
}

/** Finds the days on which a stream was recorded. Rejects with `StoreUnavailable`. */
export class RecordedDays {
  readonly #catalogue: Pick<Catalogue, 'db' | 'active'>

  constructor(catalogue: Pick<Catalogue, 'db' | 'active'>) {
    this.#catalogue = catalogue
  }

  /** The days of a time that have recordings, in their order. */
  async list({ type, streamPath, startMs: fromMs, endMs: toMs, timeZone }: RecordedDaysInit): Promise<Day[]> {
    const growing = [...this.#catalogue.active].filter(
      (entry) => entry.type === type && entry.streamPath === streamPath,
    )
    const filter = { type, streamPath, startMs: fromMs, endMs: toMs }
    const rows = await this.#catalogue.db
      .selectFrom('sluice_recording')
      .where((builder) =>
        builder.and(
          conditionsOf(
            builder,
            filter,
            growing.map(({ id }) => id),
          ),
        ),
      )
      .where('stream_path', '=', streamPath)
      .select(({ fn, eb }) => [
        eb('start_ms', '-', eb('start_ms', '%', BUCKET_MS)).as('bucket'),
        fn.countAll().as('count'),
        fn.sum('size_bytes').as('size_bytes'),
        fn.min('start_ms').as('start_ms'),
        fn.max('end_ms').as('end_ms'),
      ])
      .groupBy('bucket')
      .orderBy('bucket')
      .execute()
    const spans = rows.map((row): Span => {
      const startMs = row.start_ms
      return { startMs, endMs: row.end_ms, count: Number(row.count), sizeBytes: Number(row.size_bytes) }
    })
    // The rows of files that are being written don't know yet how long these are.
    const latest = growing.map(({ startMs, endMs }): Span => ({ startMs, endMs, count: 0, sizeBytes: 0 }))
    return daysOf([...spans, ...latest], { startMs: fromMs, endMs: toMs, timeZone })
  }
}
