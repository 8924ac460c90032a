import { expect } from 'chai'
import { Kysely, sql } from 'kysely'
import { StoreUnavailable } from 'sluice/sdk'
import { keep } from '../../../test/peers/lifetime.ts'
import { createFile } from '../../../test/support/stores.ts'
import { MEMORY } from './messages.ts'
import { SqliteBackend } from './sqlite-backend.ts'
import { SqliteClient } from './sqlite-client.ts'
import { SqliteDriver } from './sqlite-driver.ts'

type Tables = { note: { text: string } }

async function open(idleMs?: number, file?: string): Promise<Kysely<Tables>> {
  const client = await SqliteClient.open(file ?? (await createFile()))
  keep({ close: () => client.close() })
  const { dialect } = new SqliteBackend(MEMORY)
  const db = new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new SqliteDriver(() => client, idleMs) } })
  await db.schema.createTable('note').addColumn('text', 'text').execute()
  return db
}

function write(db: Kysely<Tables>, text: string): Promise<unknown> {
  return db.insertInto('note').values({ text }).execute()
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}

describe('SqliteDriver', () => {
  it('rolls a transaction back that does nothing while others wait', async () => {
    const db = await open(20)
    const others = Promise.withResolvers<void>()
    const idle = db.transaction().execute(async (transaction) => {
      await write(transaction, 'idle')
      await others.promise
      await write(transaction, 'late')
    })
    await db.selectFrom('note').selectAll().execute()
    await write(db, 'other')
    others.resolve()
    expect(await rejection(idle)).to.be.instanceOf(StoreUnavailable)
    expect(await db.selectFrom('note').selectAll().execute()).to.eql([{ text: 'other' }])
  })

  it('leaves a transaction alone while others read, also in memory', async () => {
    const db = await open(undefined, MEMORY)
    await db.transaction().execute(async (transaction) => {
      await write(transaction, 'a')
      await db.selectFrom('note').selectAll().execute()
      await write(transaction, 'b')
    })
    expect(await db.selectFrom('note').selectAll().execute()).to.eql([{ text: 'a' }, { text: 'b' }])
  })

  it('refuses a transaction that is begun by hand, and goes on', async () => {
    const db = await open()
    expect(await rejection(sql`begin`.execute(db)))
      .to.have.property('message')
      .that.includes('`transaction()`')
    await write(db, 'a')
    await db.transaction().execute((transaction) => write(transaction, 'b'))
    expect(await db.selectFrom('note').selectAll().execute()).to.have.length(2)
  })
})
