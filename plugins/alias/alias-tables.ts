import type { Migration } from 'sluice/sdk'

/** A row of the aliases that were set. */
export type AliasRow = {
  readonly alias: string
  readonly stream_path: string
  /** Of the target, as it was given; it may hold secrets. */
  readonly query: string
  /** 0 or 1. */
  readonly auto_remove: number
}

export type AliasTables = { sluice_alias: AliasRow }

export const ALIAS_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-aliases': {
    async up(db) {
      await db.schema
        .createTable('sluice_alias')
        .addColumn('alias', 'text', (column) => column.primaryKey())
        .addColumn('stream_path', 'text', (column) => column.notNull())
        .addColumn('query', 'text', (column) => column.notNull())
        .addColumn('auto_remove', 'integer', (column) => column.notNull())
        .execute()
    },
  },
}
