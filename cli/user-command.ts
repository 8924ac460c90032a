import { LastAdmin } from '../core/login/login-errors.ts'
import type { Role } from '../core/login/login-tables.ts'
import type { User } from '../core/login/users.ts'
import { CommandError } from './command-error.ts'
import { withLoginDatabase, type LoginDatabase } from './login-database.ts'
import { askNewPassword } from './terminal/new-password.ts'
import { Prompt } from './terminal/prompt.ts'
import { table, type Column } from './terminal/table.ts'

const COLUMNS: readonly Column<User>[] = [
  { title: 'USER', value: ({ name }) => name },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'SINCE', value: ({ createdMs }) => new Date(createdMs).toISOString() },
]

/** The action of `sluice user …`. */
export type UserAction =
  | { readonly verb: 'add'; readonly name: string; readonly role: Role }
  | { readonly verb: 'passwd'; readonly name: string }
  | { readonly verb: 'list' }
  /** `force` is true to remove even the last admin while login is on. */
  | { readonly verb: 'remove'; readonly name: string; readonly force: boolean }

/** Manages the users in the database of a config, also while a server runs on it. */
export function runUserCommand(configFile: string | undefined, action: UserAction): Promise<void> {
  return withLoginDatabase(configFile, async (database) => {
    process.stdout.write(await done(action, database))
  })
}

async function done(action: UserAction, { users, shown, isLoginOn }: LoginDatabase): Promise<string> {
  switch (action.verb) {
    case 'add': {
      const { name, role } = await users.add({ ...action, password: await newPassword(action.name) })
      return `added ${name} (${role}) in ${shown}\n`
    }
    case 'passwd':
      await users.update(action.name, { password: await newPassword(action.name) }, false)
      return `changed the password of ${action.name} in ${shown}; the sessions of the user have ended\n`
    case 'list':
      return `${table(COLUMNS, await users.list(), Infinity).join('\n')}\n`
    case 'remove':
      try {
        await users.remove(action.name, isLoginOn && !action.force)
      } catch (error) {
        throw error instanceof LastAdmin ? new CommandError(`${error.message}, or use --force`) : error
      }
      return `removed ${action.name} from ${shown}\n`
  }
}

async function newPassword(user: string): Promise<string> {
  const prompt = new Prompt({ input: process.stdin, output: process.stderr })
  try {
    return await askNewPassword(prompt, user)
  } finally {
    prompt.close()
  }
}
