import { isDeepStrictEqual } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { StoreUnavailable } from 'sluice/sdk'
import type { Store } from '../store/store.ts'
import { ApiTokens } from './api-tokens.ts'
import { Unauthenticated } from './login-errors.ts'
import { LoginLimits } from './login-limits.ts'
import { LOGIN_MIGRATIONS, LOGIN_OWNER, type LoginTables, type Role } from './login-tables.ts'
import { PasswordHashes } from './password.ts'
import { Sessions, type ReadToken, type SignedToken } from './sessions.ts'
import { SetupToken } from './setup-token.ts'
import { userNameOf } from './user-name.ts'
import { Users, type NewUser } from './users.ts'

/** The longest that a slow or missing database delays the start. */
const START_PATIENCE_MS = 2000
/** The user name that the one-time token logs in. */
const SETUP_NAME = 'admin'
/** The stamp of sessions that the one-time token began; its length differs from every user's stamp. */
const SETUP_STAMP = 'setup'

/** The keys of `global.admin` that logins depend on. */
export type LoginConfig = {
  readonly enablelogin: boolean
  readonly users: readonly { readonly username: string; readonly password: string; readonly role: Role }[]
}

/** The authenticated caller of a request. */
export type Caller = {
  /** The name of the user, or `token:` and the name of the token. */
  readonly name: string
  readonly role: Role
  /** The end of the credential's validity, in Unix seconds; 0 when it never ends. */
  readonly expiresS: number
  /** The session of a login; undefined for API tokens. */
  readonly session: string | undefined
  /** A token that replaces the caller's own, which is valid for a short time only. */
  readonly newToken: string | undefined
}

/** The name of the user that has logged in, and the token of the session. */
export type LoggedIn = SignedToken & { readonly name: string; readonly role: Role }

type LoginInit = {
  readonly log: Logger
  readonly store: Pick<Store, 'tables' | 'onAvailable'>
  /** `global.admin` as it is now. */
  readonly config: () => LoginConfig
}

/**
 * The users with passwords and the programs with tokens that may administer while `admin.enablelogin` is on. Each credential
 * is checked in the database every time, as other processes and the command line change users, too.
 */
export class Login {
  readonly users: Users
  readonly tokens: ApiTokens
  readonly #init: LoginInit
  readonly #hashes = new PasswordHashes()
  readonly #limits = new LoginLimits()
  readonly #setup = new SetupToken()
  readonly #sessions: Sessions
  /** The users that the config had when it was last applied; undefined while login is off. */
  #applied: LoginConfig['users'] | undefined
  #isPrepared = false
  #preparing: Promise<void> = Promise.resolve()

  constructor(init: LoginInit) {
    this.#init = init
    const tables: Kysely<LoginTables> = init.store.tables<LoginTables>(LOGIN_OWNER, LOGIN_MIGRATIONS)
    this.users = new Users({ tables, hashes: this.#hashes })
    this.tokens = new ApiTokens(tables)
    this.#sessions = new Sessions(tables)
    init.store.onAvailable(() => {
      this.#sessions.forgetSecret()
      return this.#prepare()
    })
  }

  get isOn(): boolean {
    return this.#init.config().enablelogin
  }

  /** Puts the users of the config into the database, and waits a little for that. */
  async start(): Promise<void> {
    const timeout = new AbortController()
    const patience = delay(START_PATIENCE_MS, undefined, { signal: timeout.signal }).catch(() => {})
    await Promise.race([this.applyConfig(), patience])
    timeout.abort()
  }

  /** Takes over a changed config; resolves when its users are stored, or can't be now. */
  async applyConfig(): Promise<void> {
    const { enablelogin, users } = this.#init.config()
    const wanted = enablelogin ? users : undefined
    if (isDeepStrictEqual(wanted, this.#applied)) return
    this.#applied = wanted
    this.#isPrepared = false
    await this.#prepare()
  }

  /**
   * Checks name and password.
   * @param ip the address of the client
   * @throws {Unauthenticated} when they are not those of a user
   * @throws {TooManyLogins} when too many failed, or are under way
   * @throws {StoreUnavailable} when there is no database
   */
  async logIn(username: string, password: string, ip: string): Promise<LoggedIn> {
    const name = userNameOf(username)
    const takeBack = await this.#limits.count(ip, name ?? '')
    let session: LoggedIn | undefined
    try {
      session = await this.#checked(name, password)
    } catch (error) {
      await takeBack()
      throw error
    }
    if (session === undefined) {
      // The name may be a password that was typed into the wrong field.
      this.#init.log.warn({ ip }, 'a login failed')
      throw new Unauthenticated('invalid credentials')
    }
    await takeBack()
    this.#init.log.info({ user: session.name, ip }, 'logged in')
    return session
  }

  /**
   * Finds the caller that a credential belongs to: the token of a login, or an API token.
   * @throws {Unauthenticated} when it is not valid, or no longer valid
   * @throws {StoreUnavailable} when there is no database
   */
  async identify(credential: string): Promise<Caller> {
    const caller = ApiTokens.is(credential) ? await this.#program(credential) : await this.#person(credential)
    if (caller === undefined) throw new Unauthenticated('invalid token')
    return caller
  }

  /**
   * Ends the session of a token; does nothing for one that is not valid.
   * @throws {StoreUnavailable} when there is no database; the session goes on then
   */
  async logOut(token: string): Promise<void> {
    const read = await this.#sessions.read(token)
    if (read === undefined) return
    await this.#sessions.revoke(read.session)
    this.#init.log.info({ user: read.name }, 'logged out')
  }

  async #checked(name: string | undefined, password: string): Promise<LoggedIn | undefined> {
    const user = name === undefined ? undefined : await this.users.find(name)
    const isRight = await this.#hashes.matches(user?.password, password)
    if (user !== undefined && isRight) return this.#begin(user.name, user.stamp, user.role)
    if (name !== SETUP_NAME || (await this.users.hasAdmin()) || !this.#setup.take(password)) return undefined
    return this.#begin(SETUP_NAME, SETUP_STAMP, 'admin')
  }

  async #begin(name: string, stamp: string, role: Role): Promise<LoggedIn> {
    return { name, role, ...(await this.#sessions.sign({ name, stamp })) }
  }

  async #program(token: string): Promise<Caller | undefined> {
    const known = await this.tokens.use(token)
    if (known === undefined) return undefined
    const { name, role, expiresMs } = known
    const expiresS = Math.floor(expiresMs / 1000)
    return { name: `token:${name}`, role, expiresS, session: undefined, newToken: undefined }
  }

  async #person(token: string): Promise<Caller | undefined> {
    const read = await this.#sessions.read(token)
    if (read === undefined) return undefined
    const [role, isRevoked] = await Promise.all([this.#roleOf(read), this.#sessions.isRevoked(read.session)])
    if (role === undefined || isRevoked) return undefined
    const { name, expiresS, session, isDue } = read
    const newToken = isDue ? (await this.#sessions.sign(read)).token : undefined
    return { name, role, expiresS, session, newToken }
  }

  /** The role that the user of a session has now; undefined where the session has ended with the password, or with the user. */
  async #roleOf({ name, stamp }: ReadToken): Promise<Role | undefined> {
    if (stamp === SETUP_STAMP) return (await this.users.hasAdmin()) ? undefined : 'admin'
    const user = await this.users.find(name)
    return user?.stamp === stamp ? user.role : undefined
  }

  #prepare(): Promise<void> {
    this.#preparing = this.#preparing.then(() => this.#prepareNow())
    return this.#preparing
  }

  /** Stores the users of the config. Called again when a database that was away is back. */
  async #prepareNow(): Promise<void> {
    const users = this.#applied
    if (users === undefined || this.#isPrepared) return
    const { log } = this.#init
    try {
      for (const user of users) await this.users.put(newUserOf(user))
      const isManaged = await this.users.hasAdmin()
      this.#isPrepared = this.#applied === users
      if (!isManaged) log.warn(invitation(this.#setup.make()))
    } catch (err) {
      // The store has logged this, and logs when the database is back.
      if (!(err instanceof StoreUnavailable)) log.error({ err }, 'the users of the config were not stored')
    }
  }
}

function newUserOf({ username, password, role }: LoginConfig['users'][number]): NewUser {
  return { name: username, password, role }
}

function invitation(token: string): string {
  return (
    `login is on, and there is no admin yet. Within an hour, log in as "${SETUP_NAME}" with the password ${token}, which ` +
    'works once, and add a user of the role admin; or run "sluice user add NAME --role admin"'
  )
}
