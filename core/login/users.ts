import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { InvalidRequest, NotUnique, StreamNotFound } from 'sluice/sdk'
import { LastAdmin, UserExists } from './login-errors.ts'
import type { LoginTables, Role, UserRow } from './login-tables.ts'
import type { PasswordHashes } from './password.ts'
import { checkUserName } from './user-name.ts'

const MAX_USERS = 10_000
const STAMP_BYTES = 16

/** A user, without the password. */
export type User = { readonly name: string; readonly role: Role; readonly createdMs: number }

/** The values that an admin gives for a new user. */
export type NewUser = { readonly name: string; readonly password: string; readonly role: Role }

/** The changes of a user; a value that is left out stays. */
export type UserChange = { readonly password?: string | undefined; readonly role?: Role | undefined }

type UsersInit = {
  readonly tables: Kysely<LoginTables>
  readonly hashes: PasswordHashes
}

/** The people who may log in. All methods reject with `StoreUnavailable` where there is no database. */
export class Users {
  readonly #tables: Kysely<LoginTables>
  readonly #hashes: PasswordHashes

  constructor({ tables, hashes }: UsersInit) {
    this.#tables = tables
    this.#hashes = hashes
  }

  /** All users, by name. */
  async list(): Promise<User[]> {
    const rows = await this.#tables
      .selectFrom('sluice_user')
      .select(['name', 'role', 'created_ms as createdMs'])
      .orderBy('name')
      .execute()
    return rows
  }

  /** @param name the name as `userNameOf` spells it */
  find(name: string): Promise<UserRow | undefined> {
    return this.#tables.selectFrom('sluice_user').selectAll().where('name', '=', name).executeTakeFirst()
  }

  async hasAdmin(): Promise<boolean> {
    const admins = this.#tables.selectFrom('sluice_user').select('name').where('role', '=', 'admin').limit(1)
    return (await admins.execute()).length > 0
  }

  /**
   * Adds a user; resolves when that is stored.
   * @throws {InvalidRequest} when the name or password is not allowed, or there are too many users
   * @throws {UserExists} when the name is taken
   */
  async add({ name: written, password, role }: NewUser): Promise<User> {
    const name = checkUserName(written)
    const row = { name, role, ...(await this.#secretsOf(password)), created_ms: Date.now() }
    const { count } = await this.#tables
      .selectFrom('sluice_user')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= MAX_USERS) throw new InvalidRequest(`there are ${MAX_USERS} users, and no more can be`)
    try {
      await this.#tables.insertInto('sluice_user').values(row).execute()
    } catch (error) {
      throw error instanceof NotUnique ? new UserExists(name) : error
    }
    return { name, role, createdMs: row.created_ms }
  }

  /**
   * Changes a user. A new password ends the sessions of the user.
   * @param keepsAdmin true when the last admin must stay one
   * @throws {StreamNotFound} when there is no such user
   * @throws {LastAdmin} when the user is the last admin, and must stay one
   */
  async update(written: string, { password, role }: UserChange, keepsAdmin: boolean): Promise<void> {
    const name = checkUserName(written)
    const secrets = password === undefined ? {} : await this.#secretsOf(password)
    const change = { ...secrets, ...(role && { role }) }
    await this.#tables.transaction().execute(async (transaction) => {
      if (role === 'user' && keepsAdmin) await assertOtherAdmin(transaction, name)
      const isEmpty = Object.keys(change).length === 0
      const found = isEmpty
        ? await transaction.selectFrom('sluice_user').select('name').where('name', '=', name).execute()
        : await transaction.updateTable('sluice_user').set(change).where('name', '=', name).returning('name').execute()
      if (found.length === 0) throw noUser(name)
    })
  }

  /**
   * Removes a user, and so ends the sessions of the user.
   * @param keepsAdmin true when the last admin must stay
   * @throws {StreamNotFound} when there is no such user
   * @throws {LastAdmin} when the user is the last admin, and must stay
   */
  async remove(written: string, keepsAdmin: boolean): Promise<void> {
    const name = checkUserName(written)
    await this.#tables.transaction().execute(async (transaction) => {
      if (keepsAdmin) await assertOtherAdmin(transaction, name)
      const gone = await transaction.deleteFrom('sluice_user').where('name', '=', name).returning('name').execute()
      if (gone.length === 0) throw noUser(name)
    })
  }

  /** Adds a user, or gives the user of that name this password and role; does nothing when the user has them. */
  async put({ name: written, password, role }: NewUser): Promise<void> {
    const name = checkUserName(written)
    const known = await this.find(name)
    if (known === undefined) {
      const row = { name, role, ...(await this.#secretsOf(password)), created_ms: Date.now() }
      // Another process that reads the same config may have added the user first.
      const insert = this.#tables.insertInto('sluice_user').values(row)
      await insert.onConflict((conflict) => conflict.column('name').doNothing()).execute()
      return
    }
    const isSame = await this.#hashes.matches(known.password, password)
    const secrets = isSame ? {} : await this.#secretsOf(password)
    if (isSame && known.role === role) return
    await this.#tables
      .updateTable('sluice_user')
      .set({ ...secrets, role })
      .where('name', '=', name)
      .execute()
  }

  async #secretsOf(password: string): Promise<Pick<UserRow, 'password' | 'stamp'>> {
    return { password: await this.#hashes.make(password), stamp: randomBytes(STAMP_BYTES).toString('base64url') }
  }
}

/** Locks the admins until the transaction ends, so that two admins can't remove each other at the same time. */
async function assertOtherAdmin(transaction: Kysely<LoginTables>, name: string): Promise<void> {
  const admins = await transaction
    .updateTable('sluice_user')
    .set({ role: 'admin' })
    .where('role', '=', 'admin')
    .returning('name')
    .execute()
  if (admins.length === 1 && admins[0]?.name === name) throw new LastAdmin(name)
}

function noUser(name: string): StreamNotFound {
  return new StreamNotFound(`there is no user ${name}`)
}
