import { definePlugin, StreamPath, Type, type Migration } from 'sluice/sdk'

type Tables = {
  visits_stream: { path: string; count: number; last_ms: number; hidden: number }
}

const tables: Readonly<Record<string, Migration>> = {
  '001-stream': {
    async up(db) {
      await db.schema
        .createTable('visits_stream')
        .addColumn('path', 'text', (column) => column.primaryKey())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addColumn('last_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('visits_stream_last').on('visits_stream').column('last_ms').execute()
    },
  },
  // Came with a later version: what was released does not change.
  '002-hidden': {
    up: (db) =>
      db.schema
        .alterTable('visits_stream')
        .addColumn('hidden', 'integer', (column) => column.notNull().defaultTo(0))
        .execute(),
  },
}

export default definePlugin({
  name: 'visits',
  version: '1.1.0',
  sdk: '^1',
  tables,
  setup(ctx) {
    const db = ctx.store<Tables>()

    // While there is no database, this rejects: the log says so, and the viewer plays all the same.
    ctx.hooks.on('subscribed', async ({ streamPath, type }) => {
      // The server subscribes, too: HLS, recordings and pushes take the stream in place of their viewers.
      if (type !== 'server') return
      await db
        .insertInto('visits_stream')
        .values({ path: streamPath, count: 1, last_ms: Date.now(), hidden: 0 })
        .onConflict((conflict) =>
          conflict.column('path').doUpdateSet((row) => ({
            count: row('visits_stream.count', '+', 1),
            last_ms: Date.now(),
          })),
        )
        .execute()
    })

    ctx.operations.add({
      method: 'GET',
      path: 'api/list',
      summary: 'How often each stream was watched, the latest first; 503 while there is no database',
      answer: Type.Array(Type.Object({ path: Type.String(), count: Type.Integer(), lastMs: Type.Number() })),
      handle: () =>
        db
          .selectFrom('visits_stream')
          .select(['path', 'count', 'last_ms as lastMs'])
          .where('hidden', '=', 0)
          .orderBy('last_ms', 'desc')
          .limit(100)
          .execute(),
    })

    ctx.operations.add({
      method: 'POST',
      path: 'api/hide/{streamPath}',
      summary: 'Leave a stream out of the list',
      params: Type.Object({ streamPath: StreamPath() }),
      async handle({ params: { streamPath } }) {
        await db.updateTable('visits_stream').set({ hidden: 1 }).where('path', '=', streamPath).execute()
      },
    })
  },
})
