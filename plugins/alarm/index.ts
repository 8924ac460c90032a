import { definePlugin } from 'sluice/sdk'
import { raiseByHooks } from './alarm-hooks.ts'
import { addAlarmOperations } from './alarm-operations.ts'
import { ALARM_MIGRATIONS, type AlarmTables } from './alarm-tables.ts'
import { Alarms, type KeptAlarms } from './alarms.ts'
import { addWebhookOperation } from './webhook-operation.ts'

/** The interval of the checks whether the next `server_keep_alive` is due. */
const BEAT_MS = 1000
/** The longest that the plugin may take to end. */
const CLOSE_MS = 3000
/** The time to send the last events; it is less than {@link CLOSE_MS}, so that the plugin itself logs the number of those left. */
const TELL_MS = 2900

export default definePlugin({
  name: 'alarm',
  version: '1.0.0',
  sdk: '^1',
  description: 'Has what happens stored, and tells web services of it',
  pages: [
    {
      title: 'Alarms',
      titles: { zh: '告警' },
      group: 'server',
      icon: '/pages/alarms.svg',
      module: new URL('pages/alarms.tsx', import.meta.url),
    },
  ],
  tables: ALARM_MIGRATIONS,
  formerNames: { migrations: 'alarm', tables: ['sluice_alarm'] },
  endsLast: true,
  setup(ctx) {
    const alarms = new Alarms({
      log: ctx.log,
      kept: ctx.keep('alarms', (): KeptAlarms => ({
        queues: new Map(),
        keptAliveMs: performance.now(),
        newest: undefined,
      })),
      tables: ctx.store<AlarmTables>(),
      database: ctx.database,
      global: () => ctx.global,
      plugins: ctx.plugins,
      addresses: () => ctx.net.addresses(),
    })
    ctx.plugins.onChange(() => alarms.takeOver())
    raiseByHooks(ctx.hooks, alarms)
    addAlarmOperations(ctx.operations, alarms.archive)
    addWebhookOperation(ctx)
    ctx.onDrain(ctx.setInterval(() => alarms.keepAlive(), BEAT_MS))
    ctx.onDrain((cause) => {
      const release = ctx.hold()
      void (cause === 'replaced' ? alarms.retire() : alarms.idle()).finally(release)
    })
    ctx.onDispose(() => alarms.close(TELL_MS), { withinMs: CLOSE_MS })
  },
})
