import { expect } from 'chai'
import { sql, type Generated, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { InvalidRequest, NotUnique, StoreUnavailable } from 'sluice/sdk'
import { describeStores, openStore, type Databases } from '../../test/support/stores.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { MAX_ROWS, TOO_MANY_ROWS } from './row-limit.ts'

type Tables = {
  sluice_thing: {
    id: Generated<number>
    name: string
    count: number | null
    size: number | null
    ratio: number | null
    on: number | null
    note: string | null
  }
}

const THINGS: Readonly<Record<string, Migration>> = {
  '001-thing': {
    up: (db) =>
      db.schema
        .createTable('sluice_thing')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('count', 'integer')
        .addColumn('size', 'bigint')
        .addColumn('ratio', 'real')
        .addColumn('on', 'integer')
        .addColumn('note', 'text')
        .execute(),
  },
}

/** An empty table in a new database. */
async function things(databases: Databases) {
  const dsn = await databases.create()
  const opened = openStore(dsn)
  return { ...opened, dsn, db: opened.store.tables<Tables>('thing', THINGS) }
}

function thing(name: string, rest: Partial<Tables['sluice_thing']> = {}) {
  return { name, count: null, size: null, ratio: null, on: null, note: null, ...rest, id: undefined }
}

async function names(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom('sluice_thing').select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** What a promise rejects with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}

describeStores('Store', (databases) => {
  it('gives back what it was given', async () => {
    const { db } = await things(databases)
    const text = `grüße 👋 'quoted' "twice" \\ ${'long '.repeat(50_000)}`
    const rows = [
      thing('a', { note: text, count: 2 ** 31 - 1, size: Number.MAX_SAFE_INTEGER, ratio: 1 / 3, on: 1 }),
      thing('', { count: -(2 ** 31), size: Number.MIN_SAFE_INTEGER, ratio: 2, on: 0 }),
      thing('👋', { note: JSON.stringify({ a: [1, null, 'é'], b: { c: true } }) }),
    ]
    for (const row of rows) await db.insertInto('sluice_thing').values(row).execute()
    const kept = await db.selectFrom('sluice_thing').selectAll().orderBy('id').execute()
    expect(kept).to.eql(rows.map((row, index) => ({ ...row, id: index + 1 })))
  })

  it('counts, sums and compares alike', async () => {
    const { db } = await things(databases)
    await db
      .insertInto('sluice_thing')
      .values([thing('b', { size: 3, count: 7 }), thing('A', { size: 4, count: 8 }), thing('a')])
      .execute()
    const sums = await db
      .selectFrom('sluice_thing')
      .select((eb) => [
        eb.fn.countAll<number>().as('all'),
        eb.fn.sum<number>('size').as('sum'),
        eb.fn.avg<number>('size').as('average'),
        eb.fn.max('count').as('max'),
        eb(eb.fn.countAll(), '>', eb.val(2)).as('isMany'),
      ])
      .execute()
    expect(sums).to.eql([{ all: 3, sum: 7, average: 3.5, max: 8, isMany: 1 }])
    expect(await names(db)).to.eql(['A', 'a', 'b'])
    const like = db.selectFrom('sluice_thing').select('name').where('name', 'like', 'a%')
    expect(await like.execute()).to.eql([{ name: 'a' }])
    const half = await db
      .selectFrom('sluice_thing')
      .select(({ eb }) => eb('count', '/', 2).as('half'))
      .where('name', '=', 'b')
      .executeTakeFirstOrThrow()
    expect(half.half).to.equal(3)
  })

  it('tells how many rows a query has changed, and gives what it made', async () => {
    const { db } = await things(databases)
    const made = await db
      .insertInto('sluice_thing')
      .values([thing('a'), thing('b')])
      .returning(['id', 'name'])
      .execute()
    expect(made).to.eql([
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ])
    const [updated] = await db.updateTable('sluice_thing').set({ count: 1 }).execute()
    expect(updated?.numUpdatedRows).to.equal(2n)
    const [deleted] = await db.deleteFrom('sluice_thing').where('name', '=', 'a').execute()
    expect(deleted?.numDeletedRows).to.equal(1n)
    const upsert = db.insertInto('sluice_thing').values(thing('b', { count: 5 }))
    await upsert.onConflict((conflict) => conflict.column('name').doUpdateSet({ count: 6 })).execute()
    expect(await db.selectFrom('sluice_thing').select(['id', 'count']).execute()).to.eql([{ id: 2, count: 6 }])
  })

  it('keeps booleans as 0 and 1, and refuses what can not be kept alike', async () => {
    const { db } = await things(databases)
    // As of a plugin that is not checked by a compiler.
    const insert = (values: object) =>
      db
        .insertInto('sluice_thing')
        .values({ ...thing('x'), ...values })
        .execute()
    await insert({ on: true })
    expect(await db.selectFrom('sluice_thing').select('on').execute()).to.eql([{ on: 1 }])
    expect(await rejection(insert({ count: new Date() }))).to.be.instanceOf(TypeError)
    expect(await rejection(insert({ name: {} }))).to.be.instanceOf(TypeError)
    expect(await rejection(insert({ name: 'a\0b' }))).to.be.instanceOf(InvalidRequest)
    expect(await rejection(insert({ name: 'y', count: 'many' }))).to.be.instanceOf(Error)
    expect(await names(db)).to.eql(['x'])
  })

  it('tells that a row is there already, and no value of it', async () => {
    const { db } = await things(databases)
    await db.insertInto('sluice_thing').values(thing('hush')).execute()
    const error = await rejection(db.insertInto('sluice_thing').values(thing('hush')).execute())
    expect(error).to.be.instanceOf(NotUnique)
    expect(JSON.stringify([error, String(error)])).to.not.include('hush')
  })

  it('rolls a transaction back that fails, and goes on', async () => {
    const { db } = await things(databases)
    const failed = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('sluice_thing').values(thing('a')).execute()
      await transaction.insertInto('sluice_thing').values(thing('a')).execute()
    })
    expect(await rejection(failed)).to.be.instanceOf(NotUnique)
    const given = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('sluice_thing').values(thing('b')).execute()
      throw new Error('no')
    })
    expect(await rejection(given)).to.have.property('message', 'no')
    expect(await names(db)).to.eql([])
    await db.transaction().execute((transaction) => transaction.insertInto('sluice_thing').values(thing('c')).execute())
    expect(await names(db)).to.eql(['c'])
  })

  it('reads what is committed while a transaction runs, and its own rows within', async () => {
    const { db } = await things(databases)
    const begun = Promise.withResolvers<void>()
    const read = Promise.withResolvers<void>()
    const transaction = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('sluice_thing').values(thing('a')).execute()
      expect(await names(transaction)).to.eql(['a'])
      begun.resolve()
      await read.promise
    })
    await begun.promise
    expect(await names(db)).to.eql([])
    read.resolve()
    await transaction
    expect(await names(db)).to.eql(['a'])
  })

  it('has many write at once', async () => {
    const { db } = await things(databases)
    const wanted = Array.from({ length: 60 }, (_, index) => `n${String(index).padStart(2, '0')}`)
    const write = (name: string, index: number): Promise<unknown> => {
      if (index % 3 > 0) return db.insertInto('sluice_thing').values(thing(name)).execute()
      return db.transaction().execute(async (transaction) => {
        await transaction.insertInto('sluice_thing').values(thing(name)).execute()
        await transaction.updateTable('sluice_thing').set({ count: index }).where('name', '=', name).execute()
      })
    }
    await Promise.all(wanted.map(write))
    expect(await names(db)).to.eql(wanted)
  })

  it('has what it was given when it is opened again', async () => {
    const { db, dsn, store } = await things(databases)
    await db.insertInto('sluice_thing').values(thing('a')).execute()
    await store.close()
    const again = openStore(dsn)
    expect(await names(again.store.tables<Tables>('thing', THINGS))).to.eql(['a'])
    expect(again.lines.filter(({ level }) => level > 20)).to.eql([])
  })

  it('does what was asked before it is closed, and nothing after', async () => {
    const { db, store } = await things(databases)
    expect(await names(db)).to.eql([])
    const last = db.insertInto('sluice_thing').values(thing('a')).execute()
    await new Promise((resolve) => setImmediate(resolve))
    await store.close()
    await last
    const error = await rejection(names(db))
    expect(error).to.be.instanceOf(StoreUnavailable).with.property('message', 'no db: the server is stopping')
  })

  it('tells each listener once that it is available', async () => {
    const { db, store } = await things(databases)
    let told = 0
    store.onAvailable(() => (told += 1))
    const stop = store.onAvailable(() => (told += 100))
    stop()
    await names(db)
    await waitFor(() => told === 1)
    store.onAvailable(() => (told += 1))
    expect(told).to.equal(2)
  })

  it('refuses to give more rows than memory should have', async () => {
    const { db } = await things(databases)
    const many = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(MAX_ROWS + 1)})
      select i from n`
    expect(await rejection(many.execute(db))).to.have.property('message', TOO_MANY_ROWS)
    expect(await names(db)).to.eql([])
  })

  it('says that rows can not be streamed', async () => {
    const { db } = await things(databases)
    const stream = db.selectFrom('sluice_thing').selectAll().stream()
    expect(await rejection(stream.next())).to.have.property(
      'message',
      'rows can not be streamed: ask for them page by page',
    )
  })
})
