import { definePlugin } from 'sluice/sdk'
import { localHourOfWeek } from './plan-calendar.ts'
import { addPlanOperations } from './plan-operations.ts'
import { PlanRecorder, type StartedRecording } from './plan-recorder.ts'
import { PlanRoster } from './plan-roster.ts'
import { PlanStore } from './plan-store.ts'
import { addPlanStreamOperations } from './plan-stream-operations.ts'
import { PLAN_MIGRATIONS, type PlanTables } from './plan-tables.ts'
import { addStatusOperation } from './status-operation.ts'

/** The time between attempts to read the plans while there is no database. */
const REFRESH_MS = 60_000

export default definePlugin({
  name: 'crontab',
  version: '1.0.0',
  sdk: '^1',
  description: 'Records streams by weekly plans',
  mounts: ['crontab', 'plan', 'planstream'],
  pages: [
    {
      title: 'Plans',
      titles: { zh: '录像计划' },
      group: 'recording',
      icon: '/pages/plans.svg',
      module: new URL('pages/plans.tsx', import.meta.url),
    },
  ],
  tables: PLAN_MIGRATIONS,
  processes: 'one',
  setup(ctx) {
    const { log, hooks, streams, services, operations } = ctx
    const store = new PlanStore(ctx.store<PlanTables>())
    const recorder = new PlanRecorder({
      log,
      recordings: () => services.get('recordings'),
      isLive: (streamPath) => streams.get(streamPath) !== undefined,
      now: Date.now,
      hourOfWeek: localHourOfWeek,
      setTimeout: (run, delayMs) => ctx.setTimeout(run, delayMs),
      started: ctx.keep('started', () => new Map<string, StartedRecording>()),
    })
    const roster = new PlanRoster(log, store, recorder)
    const changed = () => roster.reload()
    addPlanOperations(operations, store, changed)
    addPlanStreamOperations(ctx, store, recorder, changed)
    addStatusOperation(operations, store, recorder)

    hooks.on('published', ({ path }) => recorder.look(path))
    hooks.on('taskEnded', ({ kind, streamPath }, { isRetried }) => {
      if (kind === 'record' && !isRetried) recorder.lookLater(streamPath)
    })
    ctx.onDrain(() => recorder.close())
    ctx.onDrain(ctx.setInterval(() => roster.refresh(), REFRESH_MS))
    void roster.reload()
    recorder.start()
  },
})
