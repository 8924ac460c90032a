import { pino } from 'pino'
import { SluiceError } from 'sluice/sdk'
import { ConfigError } from '../core/config/config-error.ts'
import { CommandError } from './command-error.ts'
import { loadConfig } from './load-config.ts'
import { ApiTokens } from '../core/login/api-tokens.ts'
import { LOGIN_MIGRATIONS, LOGIN_OWNER, type LoginTables } from '../core/login/login-tables.ts'
import { PasswordHashes } from '../core/login/password.ts'
import { Users } from '../core/login/users.ts'
import { restoreStored } from '../core/stored-config.ts'
import { findDatabase } from '../core/store/database.ts'
import { Store } from '../core/store/store.ts'

/** The database for commands that manage logins. */
export type LoginDatabase = {
  readonly users: Users
  readonly tokens: ApiTokens
  /** The name of the database without secrets. It shows a user who runs a command on another database by mistake. */
  readonly shown: string
  /** True when the config has login on. */
  readonly isLoginOn: boolean
}

/**
 * Opens the database of a config file for a command, beside a server that may run on it. A failure of the command is printed,
 * and the process ends with code 1.
 */
export async function withLoginDatabase(
  configFile: string | undefined,
  command: (database: LoginDatabase) => Promise<void>,
): Promise<void> {
  const config = await loadConfig(configFile)
  if (config === undefined) return
  // Login may have been turned on at run time. When the database is away, the command reports that.
  await restoreStored(config)
  const { db, datadir, admin } = config.global
  let store: Store | undefined
  try {
    if (config.problems.length > 0) throw new ConfigError(config.problems)
    store = new Store({ log: pino({ level: 'silent' }), ...db, datadir })
    const tables = store.tables<LoginTables>(LOGIN_OWNER, LOGIN_MIGRATIONS)
    const database = findDatabase({ ...db, datadir })
    await command({
      users: new Users({ tables, hashes: new PasswordHashes() }),
      tokens: new ApiTokens(tables),
      shown: database.kind === 'sqlite' ? database.file : database.shown,
      isLoginOn: admin.enablelogin,
    })
  } catch (error) {
    const isForPeople = error instanceof SluiceError || error instanceof ConfigError || error instanceof CommandError
    if (!isForPeople) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } finally {
    await store?.close()
  }
}
