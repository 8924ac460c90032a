import { expect } from 'chai'
import type { PostgresPoolClient } from 'kysely'
import type { PoolClient } from 'pg'
import { lentClient } from './lent-client.ts'
import { postgresFailure } from './postgres-failures.ts'

/** A connection that fails with `failure` while that is set, and what was asked and said of it. */
function lend() {
  const asked: string[] = []
  const released: (boolean | undefined)[] = []
  const state: { failure?: Error | undefined } = {}
  const fake = {
    async query({ text }: { readonly text: string }) {
      asked.push(text)
      if (state.failure !== undefined) throw state.failure
      return { rows: [] }
    },
    release: (discard?: boolean) => void released.push(discard),
  }
  return { asked, released, state, client: lentClient(fake as unknown as PoolClient) }
}

/** What a query rejects with. */
async function failure(client: PostgresPoolClient, text: string): Promise<unknown> {
  return client.query(text, []).then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('lentClient', () => {
  it('asks nothing of a connection whose network is silent, as the transaction is rolled back', async () => {
    const { asked, released, state, client } = lend()
    await client.query('begin', [])
    state.failure = new Error('Query read timeout')
    expect(postgresFailure(await failure(client, 'select 1'))).to.include({ kind: 'away' })
    // It is no news of the database, which may be there again.
    expect(postgresFailure(await failure(client, 'rollback'))).to.include({ kind: 'refused' })
    expect(asked).to.eql(['begin', 'select 1'])
    client.release()
    expect(released).to.eql([true])
  })

  it('goes on after a query that is wrong, and back into the pool unless it is to be discarded', async () => {
    const { asked, released, state, client } = lend()
    state.failure = new Error('syntax error')
    await failure(client, 'selec')
    state.failure = undefined
    await client.query('rollback', [])
    expect(asked).to.eql(['selec', 'rollback'])
    client.release()
    client.release(true)
    expect(released).to.eql([false, true])
  })
})
