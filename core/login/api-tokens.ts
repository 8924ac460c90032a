import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { InvalidRequest, StreamNotFound } from 'sluice/sdk'
import type { ApiTokenRow, LoginTables, Role } from './login-tables.ts'

const MAX_TOKENS = 10_000
const MAX_NAME_LENGTH = 64
const TOKEN_BYTES = 32
/** Tells a token from all else, for people and for those who look for secrets that got out. */
const PREFIX = 'sluice_'
const TOKEN = new RegExp(String.raw`^${PREFIX}[\w-]{43}$`, 'u')
/** How often the time of the last use is written at most. */
const USED_INTERVAL_MS = 600_000

/** A token, as it may be shown. */
export type ApiToken = {
  readonly id: number
  readonly name: string
  readonly role: Role
  readonly createdMs: number
  /** To within ten minutes; 0 before the first use. */
  readonly usedMs: number
  /** 0 is never. */
  readonly expiresMs: number
}

/** What an admin says of a new token. */
export type NewApiToken = {
  /** For people: what uses it. */
  readonly name: string
  readonly role: Role
  /** For ever unless given. */
  readonly lifetimeMs?: number | undefined
}

/** The tokens of programs. All methods reject with `StoreUnavailable` where there is no database. */
export class ApiTokens {
  readonly #tables: Kysely<LoginTables>

  constructor(tables: Kysely<LoginTables>) {
    this.#tables = tables
  }

  /** Whether a text has the form of a token. */
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
   * @returns the token too, which nobody can ask for again
   * @throws {InvalidRequest} when the name is none, or there are too many tokens
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

  /** The token that a caller has, with the time of its use noted once in a while; undefined for one that is not valid. */
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

  /** Nobody waits for it. Where it fails, the next use notes it. */
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
