import type { CatalogueEntry, ListedPage, PlaybackInit, RecordedEvent, RecordedFile, RecordedFilter } from 'sluice/sdk'
import type { Catalogue } from './catalogue.ts'
import { entryOf, eventOf, type FileEntry } from './file-entry.ts'
import { conditionsOf } from './recording-filter.ts'

/** The most files that are played, or deleted, at a time: those of ten days, each of a minute. */
export const MAX_FILES = 15_000

type Catalogued = Pick<Catalogue, 'db' | 'active'>

/** Reads lists of files, events and streams; files that are being written are listed as they are now. Rejects with `StoreUnavailable`. */
export class CatalogueLists {
  readonly #catalogue: Catalogued

  constructor(catalogue: Catalogued) {
    this.#catalogue = catalogue
  }

  async files(filter: RecordedFilter, page: ListedPage): Promise<{ total: number; files: FileEntry[] }> {
    const { mode } = filter
    const matching = this.#catalogue.db
      .selectFrom('sluice_recording')
      .where((builder) => builder.and(conditionsOf(builder, filter, this.#growing)))
      .$if(mode !== undefined, (query) => query.where('mode', '=', mode ?? ''))
    const counted = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirst()
    const rows = await matching
      .selectAll()
      .orderBy('start_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute()
    return { total: Number(counted?.total ?? 0), files: rows.map((row) => this.#current(entryOf(row))) }
  }

  async events(filter: RecordedFilter, page: ListedPage): Promise<{ total: number; events: RecordedEvent[] }> {
    const matching = this.#catalogue.db
      .selectFrom('sluice_recording_event')
      .where((builder) => builder.and(conditionsOf(builder, filter)))
    const counted = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirst()
    const rows = await matching
      .selectAll()
      .orderBy('start_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute()
    const events = rows.map((row) => ({
      id: row.id,
      type: row.type,
      streamPath: row.stream_path,
      filePath: row.file_path,
      startMs: row.start_ms,
      endMs: row.end_ms,
      ...eventOf(row),
    }))
    return { total: Number(counted?.total ?? 0), events }
  }

  /** The streams that have recordings, by path; those of one type, or an entry for each type. */
  async streams(ofType?: string): Promise<CatalogueEntry[]> {
    const rows = await this.#catalogue.db
      .selectFrom('sluice_recording')
      .select(({ fn }) => [
        'stream_path',
        'type',
        fn.countAll().as('count'),
        fn.sum('size_bytes').as('size_bytes'),
        fn.min('start_ms').as('start_ms'),
        fn.max('end_ms').as('end_ms'),
      ])
      .$if(ofType !== undefined, (query) => query.where('type', '=', ofType ?? ''))
      .groupBy(['stream_path', 'type'])
      .orderBy('stream_path')
      .orderBy('type')
      .execute()
    const growing = new Map([...this.#catalogue.active].map((entry) => [`${entry.type}\n${entry.streamPath}`, entry]))
    return rows.map((row) => {
      const { stream_path: streamPath, type, count, size_bytes: sizeBytes, start_ms: startMs, end_ms: endMs } = row
      const latestMs = growing.get(`${type}\n${streamPath}`)?.endMs ?? 0
      return {
        streamPath,
        type,
        count: Number(count),
        sizeBytes: Number(sizeBytes),
        startMs,
        endMs: Math.max(endMs, latestMs),
      }
    })
  }

  /** Returns the files of a stream in a time range, the oldest first. */
  async inTime({ type, streamPath, startMs, endMs, clockMs }: PlaybackInit): Promise<FileEntry[]> {
    const filter = { streamPath, startMs, endMs, ...(type !== undefined && { type }) }
    const rows = await this.#catalogue.db
      .selectFrom('sluice_recording')
      .selectAll()
      .where((builder) => builder.and(conditionsOf(builder, filter, this.#growing)))
      .where('stream_path', '=', streamPath)
      .$if(clockMs !== undefined, (query) => query.where('clock_ms', '=', clockMs ?? 0))
      .orderBy('start_ms')
      .orderBy('id')
      .limit(MAX_FILES)
      .execute()
    return ofOneType(
      rows.map((row) => this.#current(entryOf(row))),
      type,
    )
  }

  get #growing(): number[] {
    return [...this.#catalogue.active].flatMap(({ id }) => (id > 0 ? [id] : []))
  }

  /** Returns the present entry of a file that is being written. */
  #current(entry: FileEntry): FileEntry {
    if (!entry.isActive) return entry
    return [...this.#catalogue.active].find(({ id }) => id === entry.id) ?? entry
  }
}

/** Returns the files of the type that covers the most time, unless one type was asked for. */
function ofOneType(entries: FileEntry[], type: string | undefined): FileEntry[] {
  const lengths = new Map<string, number>()
  for (const entry of entries) lengths.set(entry.type, (lengths.get(entry.type) ?? 0) + entry.endMs - entry.startMs)
  if (type !== undefined || lengths.size < 2) return entries
  const [longest] = [...lengths].toSorted(([, one], [, other]) => other - one)
  return entries.filter((entry) => entry.type === longest?.[0])
}

/** A file as the service shows it. */
export function recordedFile(entry: FileEntry): RecordedFile {
  const { id, type, streamPath, filePath, startMs, endMs, sizeBytes, isActive, createdMs } = entry
  const { headBytes, cutsMs, videoCodec, audioCodec, mode, event, clockMs } = entry
  return {
    id,
    type,
    streamPath,
    filePath,
    startMs,
    endMs,
    sizeBytes,
    isActive,
    createdMs,
    headBytes,
    cutsMs: [...cutsMs],
    videoCodec,
    audioCodec,
    mode,
    event,
    clockMs,
  }
}
