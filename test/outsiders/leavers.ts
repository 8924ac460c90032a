import { definePlugin, WriteBehind, type Migration } from 'sluice/sdk'

type Visit = { path: string; left_ms: number }

const tables: Readonly<Record<string, Migration>> = {
  '001-visit': {
    up: (db) =>
      db.schema
        .createTable('leavers_visit')
        .addColumn('path', 'text', (column) => column.notNull())
        .addColumn('left_ms', 'bigint', (column) => column.notNull())
        .execute(),
  },
}

export default definePlugin({
  name: 'leavers',
  version: '1.0.0',
  sdk: '^1',
  tables,
  setup(ctx) {
    const db = ctx.store<{ leavers_visit: Visit }>()
    const rows = new WriteBehind<Visit>({
      log: ctx.log,
      database: ctx.database,
      loss: 'visits were not stored',
      gatherMs: 1000,
      async write(visits) {
        await db.insertInto('leavers_visit').values(visits).execute()
      },
    })
    ctx.hooks.on('unsubscribed', ({ streamPath }) => rows.add({ path: streamPath, left_ms: Date.now() }))
    ctx.onDispose(async () => {
      const unwritten = await rows.close(900)
      if (unwritten.length > 0) ctx.log.warn({ dropped: unwritten.length }, 'visits were not stored')
    })
  },
})
