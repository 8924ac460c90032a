import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { InvalidRequest, StreamNotFound } from 'sluice/sdk'
import type { ApiTokenRow, LoginTables, Role } from './login-tables.ts'

const MAX_TOKENS = 10_000
const MAX_NAME_LENGTH = 64
const TOKEN_BYTES = 32
/** The beginning of every token, by which people and scanners for leaked secrets recognise it. */
const PREFIX = 'sluice_'
const TOKEN = new RegExp(String.raw`^${PREFIX}[\w-]{43}$`, 'u')
/** The shortest time between two writes of a token's last use. */
const USED_INTERVAL_MS = 600_000

/** A token, as it may be shown. */
export type ApiToken = {
  readonly id: number
  readonly name: string
  readonly role: Role
  readonly createdMs: number
  /** The last use, to within ten minutes; 0 before the first. */
  readonly usedMs: number
  /** The end of the token's validity, in Unix milliseconds; 0 when it never ends. */
  readonly expiresMs: number
}

/** The values that an admin gives for a new token. */
export type NewApiToken = {
  /** The name shows people which program uses the token. */
  readonly name: string
  readonly role: Role
  /** The validity in milliseconds; unlimited unless given. */
  readonly lifetimeMs?: number | undefined
}

/** The tokens of programs. All methods reject with `StoreUnavailable` where there is no database. */
export class ApiTokens {
  readonly #tables: Kysely<LoginTables>

  constructor(tables: Kysely<LoginTables>) {
    this.#tables = tables
  }

  /** True when a text has the form of a token. */
  static is(text: string): boolean {
    return TOKEN.test(text)
  }

  /** All tokens, the oldest first. */
  async list(): Promise<ApiToken[]> {
    const rows = await this.#tables.selectFrom('sluice_api_token').selectAll().orderBy('id').execute()
    return rows.map(shownToken)
  }

  /**
   * Makes a token; resolves when it is stored.
   * @returns the new token with its secret text, which can't be read again
   * @throws {InvalidRequest} when the name is not allowed, or there are too many tokens
   */
  async add({ name: written, role, lifetimeMs }: NewApiToken): Promise<ApiToken & { readonly token: string }> {
    const name = written.normalize('NFC').trim()
    if (name === '' || name.length > MAX_NAME_LENGTH || /\p{C}/u.test(name)) {
      throw new InvalidRequest(`the name of a token is a text of 1 to ${MAX_NAME_LENGTH} characters`)
    }
    const { count } = await this.#tables
      .selectFrom('sluice_api_token')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= MAX_TOKENS) throw new InvalidRequest(`there are ${MAX_TOKENS} tokens; remove some first`)
    const token = `${PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
    const nowMs = Date.now()
    const expires = lifetimeMs === undefined ? 0 : nowMs + lifetimeMs
    const row = await this.#tables
      .insertInto('sluice_api_token')
      .values({ name, role, hash: hashOf(token), created_ms: nowMs, used_ms: 0, expires_ms: expires })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { ...shownToken(row), token }
  }

  /** @throws {StreamNotFound} when there is no such token */
  async remove(id: number): Promise<void> {
    const gone = await this.#tables.deleteFrom('sluice_api_token').where('id', '=', id).returning('id').execute()
    if (gone.length === 0) throw new StreamNotFound(`there is no token ${id}`)
  }

  /** Returns the token of a caller, and notes the time of its use once in a while; undefined for one that is not valid. */
  async use(token: string): Promise<ApiToken | undefined> {
    const nowMs = Date.now()
    const row = await this.#tables
      .selectFrom('sluice_api_token')
      .selectAll()
      .where('hash', '=', hashOf(token))
      .where((row) => row('expires_ms', '=', 0).or('expires_ms', '>', nowMs))
      .executeTakeFirst()
    if (row === undefined) return undefined
    if (row.used_ms + USED_INTERVAL_MS <= nowMs) this.#noteUse(row.id, nowMs)
    return shownToken(row)
  }

  /** Notes the use in the background. Where that fails, the next use notes it. */
  #noteUse(id: number, nowMs: number): void {
    const isDue = this.#tables
      .updateTable('sluice_api_token')
      .set({ used_ms: nowMs })
      .where('id', '=', id)
      .where('used_ms', '<=', nowMs - USED_INTERVAL_MS)
    isDue.execute().catch(() => {})
  }
}

/** A token is random, so that a fast hash is as good as a slow one. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

type StoredToken = Omit<ApiTokenRow, 'id'> & { readonly id: number }

function shownToken({ id, name, role, created_ms, used_ms, expires_ms }: StoredToken): ApiToken {
  return { id, name, role, createdMs: created_ms, usedMs: used_ms, expiresMs: expires_ms }
}
