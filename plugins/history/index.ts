import { definePlugin } from 'sluice/sdk'
import { addHistoryOperations } from './history-operations.ts'
import { HISTORY_MIGRATIONS, type HistoryTables } from './history-tables.ts'
import { History } from './history.ts'
import { newHistory } from './kept-history.ts'

/** The time that a generation has at its end to write its rows. */
const CLOSE_MS = 500

export default definePlugin({
  name: 'history',
  version: '1.0.0',
  sdk: '^1',
  description: 'Keeps the runs of the server, and the tasks and sessions that have ended in them',
  mounts: [],
  tables: HISTORY_MIGRATIONS,
  formerNames: { migrations: 'sluice_monitor', tables: ['sluice_monitor_'] },
  endsLast: true,
  setup(ctx) {
    const history = new History({
      log: ctx.log,
      kept: ctx.keep('history', newHistory),
      tables: ctx.store<HistoryTables>(),
      database: ctx.database,
      startTime: ctx.services.get('server')?.startTime ?? new Date(),
      isOn: () => ctx.global.taskhistory,
    })
    ctx.plugins.onChange(() => history.takeOver())
    ctx.hooks.on('ended', (ended) => history.add(ended))
    addHistoryOperations(ctx.operations, history)
    ctx.onDispose(() => history.close(CLOSE_MS))
  },
})
