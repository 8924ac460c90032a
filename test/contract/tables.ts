import { expect } from 'chai'
import { NotUnique, type Generated, type Migration } from 'sluice/sdk'
import { waitFor } from '../peers/wait-for.ts'
import type { StartContractHost } from './contract-host.ts'

type Tables = { contract_ring: { id: Generated<number>; door: string; quiet: number; at_ms: number } }

const TABLES: Readonly<Record<string, Migration>> = {
  '002-quiet': {
    up: (db) =>
      db.schema
        .alterTable('contract_ring')
        .addColumn('quiet', 'integer', (column) => column.notNull().defaultTo(0))
        .execute(),
  },
  '001-ring': {
    async up(db) {
      await db.schema
        .createTable('contract_ring')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('door', 'text', (column) => column.notNull().unique())
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('contract_ring_time').on('contract_ring').column('at_ms').execute()
    },
  },
}

const FRONT = { door: 'front', at_ms: 1_795_391_283_181 }

export function describeTables(start: StartContractHost): void {
  describe('tables', () => {
    it('are there in setup, and have what they were given in the next generation', async () => {
      let setups = 0
      const host = await start(
        async (ctx) => {
          if (setups === 0)
            await ctx
              .store<Tables>()
              .insertInto('contract_ring')
              .values({ ...FRONT, quiet: 1 })
              .execute()
          setups += 1
        },
        {},
        { tables: TABLES },
      )
      await host.replace()
      await waitFor(() => setups === 2, { what: 'the next generation' })
      const rings = await host.ctx.store<Tables>().selectFrom('contract_ring').selectAll().execute()
      expect(rings).to.eql([{ id: 1, ...FRONT, quiet: 1 }])
    })

    it('refuse rows that are there, and values that can not be kept', async () => {
      const { ctx } = await start(undefined, {}, { tables: TABLES })
      const db = ctx.store<Tables>()
      const insert = (values: object) =>
        db
          .insertInto('contract_ring')
          .values({ ...FRONT, quiet: 0, ...values })
          .execute()
      await insert({})
      expect(await rejection(insert({}))).to.be.instanceOf(NotUnique)
      expect(await rejection(insert({ door: 'back', at_ms: new Date() }))).to.be.instanceOf(TypeError)
      expect(await rejection(insert({ door: 'back', at_ms: 'now' }))).to.be.instanceOf(Error)
    })

    it('are the only ones that queries can name', async () => {
      const { ctx } = await start(undefined, {}, { tables: TABLES })
      const db = ctx.store<Tables & { sluice_migration: { name: string } }>()
      const foreign = await rejection(db.selectFrom('sluice_migration').selectAll().execute())
      expect(foreign).to.have.property('message').that.includes("'contract_'").and.includes("'sluice_migration'")
      const made = await rejection(db.schema.createTable('Contract_x').addColumn('id', 'text').execute())
      expect(made).to.have.property('message').that.includes('lower case')
      const typed = await rejection(db.schema.createTable('contract_x').addColumn('id', 'jsonb').execute())
      expect(typed).to.have.property('message').that.includes('jsonb').and.includes('use text')
      const own = db
        .with('recent', (db) => db.selectFrom('contract_ring as ring').select('ring.door'))
        .selectFrom('recent')
        .innerJoin('contract_ring as other', 'other.door', 'recent.door')
        .select('other.id')
      expect(await own.execute()).to.eql([])
    })

    it('are gone for a plugin that is unloaded, though not before its callbacks have run', async () => {
      let written: Promise<unknown> | undefined
      const host = await start(
        (ctx) => {
          ctx.onDispose(async () => {
            written = ctx
              .store<Tables>()
              .insertInto('contract_ring')
              .values({ ...FRONT, quiet: 0 })
              .execute()
            await written
          })
        },
        {},
        { tables: TABLES },
      )
      const { ctx } = host
      const db = ctx.store<Tables>()
      await host.unload()
      await written
      expect(() => ctx.store<Tables>()).to.throw("plugin 'contract' is unloaded")
      const late = await rejection(db.selectFrom('contract_ring').selectAll().execute())
      expect(late).to.have.property('message', "plugin 'contract' is unloaded")
    })

    it('are none where the definition has none', async () => {
      const { ctx } = await start()
      expect(() => ctx.store<Tables>()).to.throw('has no tables')
    })
  })
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}
