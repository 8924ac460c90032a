import type { PostgresPoolClient } from 'kysely'
import type { PoolClient } from 'pg'
import { EndedConnection, postgresFailure } from './postgres-failures.ts'

/** How long an answer may take: more than that, and nobody is there any more. */
const ANSWER_TIMEOUT_MS = 35_000
/** Migrations may take as long as they need; said to PostgreSQL, it holds for the rest of the transaction. */
export const PATIENCE = 'set local statement_timeout = 0'

/** A connection of the pool, which does nothing more and does not go back into it once it is broken. */
export function lentClient(client: Pick<PoolClient, 'query' | 'release'>): PostgresPoolClient {
  let isBroken = false
  let timeoutMs: number | undefined = ANSWER_TIMEOUT_MS
  const query = async (text: string, values: readonly unknown[]) => {
    // As the transaction is rolled back: nobody is there to answer that.
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
    // Without a cursor, Kysely calls it in this way only.
    query: query as unknown as PostgresPoolClient['query'],
    release: (discard = false) => client.release(isBroken || discard),
  }
}
