import { randomBytes, randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { LoginTables } from './login-tables.ts'

/** The time that a token of a session is valid (api.md 2). */
const LIFETIME_S = 24 * 60 * 60
/** The remaining validity below which a request is answered with a new token (api.md 2). */
const RENEWAL_S = 30 * 60
const ALGORITHM = 'HS256'
const ISSUER = 'sluice'
const SECRET_NAME = 'jwt'
const SECRET_BYTES = 32
/** The longest token that is read; every longer one is from elsewhere. */
const MAX_TOKEN_LENGTH = 2048

/** The user and the session that a token is for. */
export type SessionClaims = {
  /** The name of the user. */
  readonly name: string
  /** The stamp of the user's password, see `UserRow`. */
  readonly stamp: string
  /** The id of the session, which all its tokens have. */
  readonly session: string
}

/** A token, and the end of its validity in Unix seconds. */
export type SignedToken = { readonly token: string; readonly expiresS: number }

/** The content of a token whose signature and time are valid. */
export type ReadToken = SessionClaims & { readonly expiresS: number; readonly isDue: boolean }

/**
 * The sessions of users who have logged in: JWTs (RFC 7519), signed with a secret that all processes on a database share,
 * and the list of the sessions that were logged out.
 */
export class Sessions {
  readonly #tables: Kysely<LoginTables>
  #secret: Promise<Uint8Array> | undefined

  constructor(tables: Kysely<LoginTables>) {
    this.#tables = tables
  }

  /** Has the secret read again when it is next needed: a database that is back may be another one. */
  forgetSecret(): void {
    this.#secret = undefined
  }

  /** @param session the id of the session; a new one unless given */
  async sign({
    name,
    stamp,
    session = randomUUID(),
  }: Omit<SessionClaims, 'session'> & Partial<SessionClaims>): Promise<SignedToken> {
    const { SignJWT } = await import('jose')
    const nowS = Math.floor(Date.now() / 1000)
    const expiresS = nowS + LIFETIME_S
    const token = await new SignJWT({ stamp })
      .setProtectedHeader({ alg: ALGORITHM })
      .setIssuer(ISSUER)
      .setSubject(name)
      .setJti(session)
      .setIssuedAt(nowS)
      .setExpirationTime(expiresS)
      .sign(await this.#currentSecret())
    return { token, expiresS }
  }

  /**
   * Returns the content of a token; undefined when its signature is not valid, or it has expired. Does not check if the
   * session was logged out.
   */
  async read(token: string): Promise<ReadToken | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined
    const { errors, jwtVerify } = await import('jose')
    const secret = await this.#currentSecret()
    try {
      const options = { algorithms: [ALGORITHM], issuer: ISSUER, requiredClaims: ['sub', 'jti', 'exp', 'stamp'] }
      const { payload } = await jwtVerify<{ stamp: string }>(token, secret, options)
      const { sub: name = '', jti: session = '', exp: expiresS = 0, stamp } = payload
      return { name, stamp, session, expiresS, isDue: expiresS - Date.now() / 1000 < RENEWAL_S }
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  /** Ends a session with all its tokens; resolves when that is stored. */
  async revoke(session: string): Promise<void> {
    const nowMs = Date.now()
    await this.#tables.deleteFrom('sluice_revoked_session').where('until_ms', '<', nowMs).execute()
    await this.#tables
      .insertInto('sluice_revoked_session')
      // The newest token of the session may have been signed just now.
      .values({ session, until_ms: nowMs + LIFETIME_S * 1000 })
      .onConflict((conflict) => conflict.column('session').doNothing())
      .execute()
  }

  async isRevoked(session: string): Promise<boolean> {
    const revoked = this.#tables.selectFrom('sluice_revoked_session').select('session').where('session', '=', session)
    return (await revoked.execute()).length > 0
  }

  async #currentSecret(): Promise<Uint8Array> {
    const reading = (this.#secret ??= this.#readSecret())
    try {
      return await reading
    } catch (error) {
      if (this.#secret === reading) this.#secret = undefined
      throw error
    }
  }

  /**
   * Reads the secret, or makes one. When several processes make one at the same time, all use the one that was stored first.
   */
  async #readSecret(): Promise<Uint8Array> {
    const stored = this.#tables.selectFrom('sluice_login_secret').select('value').where('name', '=', SECRET_NAME)
    const known = await stored.executeTakeFirst()
    if (known !== undefined) return Buffer.from(known.value, 'base64url')
    await this.#tables
      .insertInto('sluice_login_secret')
      .values({ name: SECRET_NAME, value: randomBytes(SECRET_BYTES).toString('base64url') })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return Buffer.from((await stored.executeTakeFirstOrThrow()).value, 'base64url')
  }
}
