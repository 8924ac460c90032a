import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { SqliteOutcome, SqliteRequest } from './messages.ts'
import { SqliteTransaction } from './sqlite-transaction.ts'

const NOTHING: SqliteOutcome = { rows: [], changes: 0 }

describe('SqliteTransaction', () => {
  it('is not idle while one of several statements is under way', async () => {
    const kinds: string[] = []
    const slow = Promise.withResolvers<SqliteOutcome>()
    const client = {
      async run({ kind, sql }: Omit<SqliteRequest, 'id'>) {
        kinds.push(kind)
        return sql === 'slow' ? slow.promise : NOTHING
      },
    }
    let isEnded = false
    const transaction = await SqliteTransaction.begin({ client, endTurn: () => (isEnded = true), idleMs: 0 })
    const statements = [transaction.run('slow', []), transaction.run('quick', [])]
    await statements[1]
    // Longer than it may do nothing.
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(kinds).to.eql(['begin', 'statement', 'statement'])
    slow.resolve(NOTHING)
    await statements[0]
    await waitFor(() => isEnded)
    expect(kinds.at(-1)).to.equal('rollback')
  })
})
