import { expect } from 'chai'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { StoreUnavailable } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { describeStores, openStore } from '../../test/support/stores.ts'

type Migrations = Readonly<Record<string, Migration>>
type Tables = { sluice_step: { name: string } }

/** The first makes the table, and each writes its name into it. */
function steps(...names: readonly string[]): Migrations {
  const step = (name: string): Migration => ({
    async up(db: Kysely<Tables>) {
      await db.schema.createTable('sluice_step').ifNotExists().addColumn('name', 'text').execute()
      await db.insertInto('sluice_step').values({ name }).execute()
    },
  })
  return Object.fromEntries(names.map((name) => [name, step(name)]))
}

function done(db: Kysely<Tables>): Promise<string[]> {
  return db
    .selectFrom('sluice_step')
    .select('name')
    .execute()
    .then((rows) => rows.map(({ name }) => name))
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('it did not reject')
}

describeStores('migrations', (databases) => {
  it('run once each, in the order of their names', async () => {
    const dsn = await databases.create()
    const first = openStore(dsn)
    expect(await done(first.store.tables('steps', steps('002-b', '001-a')))).to.eql(['001-a', '002-b'])
    await first.store.close()
    const second = openStore(dsn)
    const newer = steps('001-a', '002-b', '003-c')
    expect(await done(second.store.tables('steps', newer))).to.eql(['001-a', '002-b', '003-c'])
  })

  it('are of one owner each', async () => {
    const { store } = openStore(await databases.create())
    expect(await done(store.tables('one', steps('001-a')))).to.eql(['001-a'])
    expect(await done(store.tables('two', steps('001-a')))).to.eql(['001-a', '001-a'])
  })

  it('leave nothing when one fails, and those before it stay', async () => {
    const dsn = await databases.create()
    const failing: Migrations = {
      ...steps('001-a'),
      '002-b': {
        async up(db: Kysely<Tables>) {
          await db.insertInto('sluice_step').values({ name: 'half' }).execute()
          throw new Error('out of paper')
        },
      },
    }
    const { store, text } = openStore(dsn)
    const error = await rejection(done(store.tables('steps', failing)))
    expect(error).to.be.instanceOf(StoreUnavailable)
    expect(error.message).to.equal('no db: its tables are not as they must be, see the log')
    expect(text()).to.include("a migration of 'steps' failed: out of paper")
    const mended = openStore(dsn)
    expect(await done(mended.store.tables('steps', steps('001-a', '002-b')))).to.eql(['001-a', '002-b'])
  })

  it('refuse a database of newer code, and one that misses an earlier one', async () => {
    const dsn = await databases.create()
    const { store } = openStore(dsn)
    expect(await done(store.tables('steps', steps('001-a', '003-c')))).to.eql(['001-a', '003-c'])
    const older = openStore(dsn)
    await rejection(done(older.store.tables('steps', steps('001-a'))))
    expect(older.text()).to.include(
      "the tables of 'steps' are of a newer version ('003-c') than its code: run the newer",
    )
    const between = openStore(dsn)
    await rejection(done(between.store.tables('steps', steps('001-a', '002-b', '003-c'))))
    expect(between.text()).to.include("the migration '002-b' of 'steps' comes before '003-c', which has run")
    expect(await done(store.tables('steps', steps('001-a', '003-c')))).to.eql(['001-a', '003-c'])
  })

  it('run once where two servers start at a time', async () => {
    const dsn = await databases.create()
    const names = ['001-a', '002-b', '003-c', '004-d']
    const servers = Array.from({ length: 4 }, () => openStore(dsn))
    // On a slow disk, one is told that another has the file, and tries again.
    const seen = await Promise.all(
      servers.map(({ store }) => {
        const db = store.tables<Tables>('steps', steps(...names))
        return waitFor(() => done(db))
      }),
    )
    expect(seen).to.eql(servers.map(() => names))
  })

  it('run by themselves where there is a database, before anybody is told that it is there', async () => {
    const dsn = await databases.create()
    const first = openStore(dsn)
    await done(first.store.tables('steps', steps('001-a')))
    await first.store.close()
    const { store } = openStore(dsn)
    const db = store.tables<Tables>('steps', steps('001-a', '002-b'))
    let told: Promise<string[]> | undefined
    store.onAvailable(() => {
      told = done(db)
    })
    store.open()
    expect(await waitFor(() => told)).to.eql(['001-a', '002-b'])
  })
})
