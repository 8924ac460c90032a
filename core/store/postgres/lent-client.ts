import type { PostgresPoolClient } from 'kysely'
import type { PoolClient } from 'pg'
import { EndedConnection, postgresFailure } from './postgres-failures.ts'

/** The longest wait for an answer; after it, the connection counts as broken. */
const ANSWER_TIMEOUT_MS = 35_000
/** Migrations may take as long as they need; PostgreSQL applies the statement to the rest of the transaction. */
export const PATIENCE = 'set local statement_timeout = 0'

/** A connection of the pool that runs nothing more and does not go back into the pool once it is broken. */
export function lentClient(client: Pick<PoolClient, 'query' | 'release'>): PostgresPoolClient {
  let isBroken = false
  let timeoutMs: number | undefined = ANSWER_TIMEOUT_MS
  const query = async (text: string, values: readonly unknown[]) => {
    // The rollback of the transaction comes here, too: a broken connection can't answer it.
    if (isBroken) throw new EndedConnection()
    if (text === PATIENCE) timeoutMs = undefined
    try {
      const config = { text, values: [...values], query_timeout: timeoutMs }
      return await client.query(config)
    } catch (error) {
      isBroken ||= postgresFailure(error).kind === 'away'
      throw error
    }
  }
  return {
    // Kysely calls it in this way only, as it has no cursor.
    query: query as unknown as PostgresPoolClient['query'],
    release: (discard = false) => client.release(isBroken || discard),
  }
}
