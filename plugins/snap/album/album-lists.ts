import type { Kysely } from 'sluice/sdk'
import type { Tables } from './tables.ts'

/** A picture as it is listed. */
export type ListedPicture = {
  readonly id: number
  readonly streamPath: string
  readonly filePath: string
  readonly atMs: number
  /** See `PICTURE_MODE`. */
  readonly mode: number
}

/** A stream of which pictures are kept. */
export type PicturedStream = {
  readonly streamPath: string
  readonly count: number
  readonly firstMs: number
  readonly latestMs: number
}

/** The pictures of a list: of one stream or of all, both ends of the time included. */
export type PictureFilter = {
  readonly streamPath: string | undefined
  readonly startMs: number | undefined
  readonly endMs: number | undefined
}

/** Reads lists of the pictures that are kept. Its functions reject with `StoreUnavailable` without a database. */
export class AlbumLists {
  readonly #db: Kysely<Tables>

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** A page of pictures, the newest first, and how many there are. */
  async pictures(
    { streamPath, startMs, endMs }: PictureFilter,
    page: { readonly limit: number; readonly offset: number },
  ) {
    const matching = this.#db
      .selectFrom('snap_picture')
      .$if(streamPath !== undefined, (query) => query.where('stream_path', '=', streamPath ?? ''))
      .$if(startMs !== undefined, (query) => query.where('at_ms', '>=', startMs ?? 0))
      .$if(endMs !== undefined, (query) => query.where('at_ms', '<=', endMs ?? 0))
    const counted = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirst()
    const pictures: ListedPicture[] = await matching
      .select(['id', 'stream_path as streamPath', 'file_path as filePath', 'at_ms as atMs', 'mode'])
      .orderBy('at_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute()
    return { total: Number(counted?.total ?? 0), pictures }
  }

  /** Pictures by their ids; those that are not there are left out. */
  byIds(ids: readonly number[]): Promise<ListedPicture[]> {
    return this.#db
      .selectFrom('snap_picture')
      .select(['id', 'stream_path as streamPath', 'file_path as filePath', 'at_ms as atMs', 'mode'])
      .where('id', 'in', ids)
      .execute()
  }

  /** The picture of a path; undefined where there is none. */
  byPath(filePath: string): Promise<ListedPicture | undefined> {
    return this.#db
      .selectFrom('snap_picture')
      .select(['id', 'stream_path as streamPath', 'file_path as filePath', 'at_ms as atMs', 'mode'])
      .where('file_path', '=', filePath)
      .executeTakeFirst()
  }

  /** The streams of which there are pictures, by path. */
  async streams(): Promise<PicturedStream[]> {
    const rows = await this.#db
      .selectFrom('snap_picture')
      .select(({ fn }) => [
        'stream_path as streamPath',
        fn.countAll().as('count'),
        fn.min('at_ms').as('firstMs'),
        fn.max('at_ms').as('latestMs'),
      ])
      .groupBy('stream_path')
      .orderBy('stream_path')
      .execute()
    return rows.map((row) => ({ ...row, count: Number(row.count) }))
  }
}
