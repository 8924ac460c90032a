import type { Generated } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The rights of a caller: `admin` may do everything, `user` may read. */
export type Role = 'admin' | 'user'

/** A person who may log in. */
export type UserRow = {
  /** The name as `userNameOf` spells it. */
  readonly name: string
  /** The hash of the password as a PHC string. */
  readonly password: string
  readonly role: Role
  /** A random text that changes with each password: sessions carry it, and end when it changes. */
  readonly stamp: string
  readonly created_ms: number
}

/** A token that programs use in place of a login. */
export type ApiTokenRow = {
  readonly id: Generated<number>
  readonly name: string
  readonly role: Role
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string
  readonly created_ms: number
  /** The time of a request within the last minutes; 0 before the first. */
  readonly used_ms: number
  /** The end of the token's validity; 0 when it never ends. */
  readonly expires_ms: number
}

/** A session that was logged out. Rows go once no token of the session can be valid any more. */
type RevokedRow = { readonly session: string; readonly until_ms: number }

/** The secret that all processes on a database sign with. */
type SecretRow = { readonly name: string; readonly value: string }

export type LoginTables = {
  sluice_user: UserRow
  sluice_api_token: ApiTokenRow
  sluice_revoked_session: RevokedRow
  sluice_login_secret: SecretRow
}

/** The owner of the tables, as the database notes its migrations. */
export const LOGIN_OWNER = 'sluice_login'

export const LOGIN_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-login': {
    async up(db) {
      await db.schema
        .createTable('sluice_user')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('password', 'text', (column) => column.notNull())
        .addColumn('role', 'text', (column) => column.notNull())
        .addColumn('stamp', 'text', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('sluice_api_token')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('role', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .addColumn('used_ms', 'bigint', (column) => column.notNull())
        .addColumn('expires_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('sluice_revoked_session')
        .addColumn('session', 'text', (column) => column.primaryKey())
        .addColumn('until_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('sluice_login_secret')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute()
    },
  },
}
