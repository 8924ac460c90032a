import { expect } from 'chai'
import { pino } from 'pino'
import { Store } from './store.ts'

describe('Store', () => {
  it('keeps rows', async () => {
    const store = new Store({ log: pino({ level: 'silent' }), dsn: ':memory:', dbtype: '', datadir: '' })
    type T = { sluice_a: { id: string; n: number | null } }
    const db = store.tables<T>('a', {
      '001-a': {
        async up(db) {
          await db.schema
            .createTable('sluice_a')
            .addColumn('id', 'text', (c) => c.primaryKey())
            .addColumn('n', 'bigint')
            .execute()
        },
      },
    })
    let told = 0
    store.onAvailable(() => void (told += 1))
    await db
      .insertInto('sluice_a')
      .values({ id: 'x', n: 2 ** 53 - 1 })
      .execute()
    expect(await db.selectFrom('sluice_a').selectAll().execute()).to.eql([{ id: 'x', n: 2 ** 53 - 1 }])
    let error: unknown
    await db
      .insertInto('sluice_a')
      .values({ id: 'x', n: null })
      .execute()
      .catch((e: unknown) => (error = e))
    expect(error).to.have.property('code', 'NOT_UNIQUE')
    expect(told).to.equal(1)
    await store.close()
  })
})
