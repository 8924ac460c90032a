import type { Migration } from 'sluice/sdk'

/** The row of an alias. */
export type AliasRow = {
  readonly alias: string
  readonly stream_path: string
  /** The query of the target, as it was given; it may hold secrets. */
  readonly query: string
  /** 1 when the end of the target's publisher removes the alias, else 0. */
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
