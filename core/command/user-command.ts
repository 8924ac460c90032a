import { LastAdmin } from '../login/login-errors.ts'
import type { Role } from '../login/login-tables.ts'
import { askPassword } from './ask-password.ts'
import { CommandError, withLoginDatabase, type LoginDatabase } from './login-database.ts'
import { tableText } from './table-text.ts'

/** What `sluice user …` asks for. */
export type UserAction =
  | { readonly verb: 'add'; readonly name: string; readonly role: Role }
  | { readonly verb: 'passwd'; readonly name: string }
  | { readonly verb: 'list' }
  /** `force`: also the last admin, while login is on. */
  | { readonly verb: 'remove'; readonly name: string; readonly force: boolean }

/** Manages the users in the database of a config, whether a server runs on it or not. */
export function runUserCommand(configFile: string | undefined, action: UserAction): Promise<void> {
  return withLoginDatabase(configFile, async (database) => {
    process.stdout.write(await done(action, database))
  })
}

async function done(action: UserAction, { users, shown, isLoginOn }: LoginDatabase): Promise<string> {
  switch (action.verb) {
    case 'add': {
      const { name, role } = await users.add({ ...action, password: await askPassword() })
      return `added ${name} (${role}) in ${shown}\n`
    }
    case 'passwd':
      await users.update(action.name, { password: await askPassword() }, false)
      return `changed the password of ${action.name} in ${shown}; the sessions of the user have ended\n`
    case 'list': {
      const rows = (await users.list()).map(({ name, role, createdMs }) => [name, role, dateText(createdMs)])
      return tableText([['NAME', 'ROLE', 'CREATED'], ...rows])
    }
    case 'remove':
      try {
        await users.remove(action.name, isLoginOn && !action.force)
      } catch (error) {
        throw error instanceof LastAdmin ? new CommandError(`${error.message}, or use --force`) : error
      }
      return `removed ${action.name} from ${shown}\n`
  }
}

function dateText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
