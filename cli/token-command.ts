import type { ApiToken } from '../core/login/api-tokens.ts'
import type { Role } from '../core/login/login-tables.ts'
import { parseLifetime } from '../core/login/lifetime.ts'
import { withLoginDatabase, type LoginDatabase } from './login-database.ts'
import { table, type Column } from './terminal/table.ts'

const COLUMNS: readonly Column<ApiToken>[] = [
  { title: 'ID', value: ({ id }) => String(id), align: 'right' },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'CREATED', value: ({ createdMs }) => dateText(createdMs) },
  { title: 'USED', value: ({ usedMs }) => dateText(usedMs) },
  { title: 'EXPIRES', value: ({ expiresMs }) => dateText(expiresMs) },
]

/** The action of `sluice token …`. */
export type TokenAction =
  /** `expires` is the duration as it was written, such as `90d`; undefined for never. */
  | { readonly verb: 'add'; readonly name: string; readonly role: Role; readonly expires: string | undefined }
  | { readonly verb: 'list' }
  | { readonly verb: 'remove'; readonly id: number }

/** Manages the API tokens in the database of a config, also while a server runs on it. */
export function runTokenCommand(configFile: string | undefined, action: TokenAction): Promise<void> {
  return withLoginDatabase(configFile, async (database) => {
    process.stdout.write(await done(action, database))
  })
}

async function done(action: TokenAction, { tokens, shown }: LoginDatabase): Promise<string> {
  switch (action.verb) {
    case 'add': {
      const { name, role, expires } = action
      const lifetimeMs = expires === undefined ? undefined : parseLifetime(expires)
      const { id, token } = await tokens.add({ name, role, lifetimeMs })
      // Standard output gets only the token, for programs that read it there.
      process.stderr.write(`added token ${id} (${role}) in ${shown}; it is shown this once:\n`)
      return `${token}\n`
    }
    case 'list':
      return `${table(COLUMNS, await tokens.list(), Infinity).join('\n')}\n`
    case 'remove':
      await tokens.remove(action.id)
      return `removed token ${action.id} from ${shown}\n`
  }
}

function dateText(timeMs: number): string {
  return timeMs === 0 ? 'never' : new Date(timeMs).toISOString()
}
