import { b, fields, list, orNull, s, some, ts, u, exactly } from '../checks.ts'
import { bare, data, DONE, unknown, type Row } from '../row.ts'

const ALWAYS = '1'.repeat(168)
const SLOT = fields({ start: ts, end: ts, weekday: s, timeRange: s })
const PLAN = fields({ id: u, name: s, enable: b, createTime: ts, updateTime: ts, plan: s })
const PLAN_STREAM = fields({
  planId: u,
  streamPath: s,
  fragment: s,
  filePath: s,
  recordType: s,
  createdAt: ts,
  updatedAt: ts,
  enable: b,
  isRecording: b,
})
const PLAN_TASK = fields({
  planId: u,
  planName: s,
  streamPath: s,
  isRecording: b,
  startTime: ts,
  endTime: ts,
  timeRange: s,
  weekday: s,
  filePath: s,
  fragment: s,
  elapsedSeconds: u,
  remainingSeconds: u,
  planSlots: some(SLOT),
})
const COUNTED = { code: exactly(0), message: s, totalCount: u, pageNum: u, pageSize: u }

/** Scheduled plans (api.md 8.5). */
export const PLAN_ROWS: readonly Row[] = [
  {
    name: 'list of plans',
    spellings: ['GET /plan/api/list'],
    ask: () => ({ query: { pageNum: 1, pageSize: 2 } }),
    answer: bare(fields({ ...COUNTED, data: some(PLAN) })),
  },
  {
    name: 'add a plan',
    spellings: ['POST /plan/api/add'],
    ask: () => ({ body: { name: 'walk', enable: false, plan: ALWAYS } }),
    answer: data(fields({ id: u })),
    refusals: [{ why: 'the plan is none', ask: { body: { name: 'walk', plan: '01' } }, status: 400, code: 3 }],
  },
  {
    name: 'change a plan',
    spellings: ['POST /plan/api/update/{id}'],
    ask: () => ({ params: { id: 1 }, body: { name: 'walked', enable: true, plan: ALWAYS } }),
    answer: DONE,
    refusals: [unknown({ params: { id: 9999 }, body: { name: 'none' } })],
  },
  {
    name: 'remove a plan',
    spellings: ['POST /plan/api/remove/{id}'],
    ask: () => ({ params: { id: 3 }, body: {} }),
    answer: DONE,
    refusals: [unknown({ params: { id: 9999 } })],
  },
  {
    name: 'test a plan',
    spellings: ['GET /plan/api/parse/{plan}'],
    ask: () => ({ params: { plan: ALWAYS } }),
    answer: bare(fields({ code: exactly(0), message: s, slots: some(SLOT), nextSlot: orNull(SLOT) })),
    refusals: [{ why: 'it is none', ask: { params: { plan: '012' } }, status: 400, code: 3, says: /plan/u }],
  },
  {
    name: 'list of streams with plans',
    spellings: ['GET /planstream/api/list'],
    ask: async (world) => ({ query: { planId: 1, streamPath: await world.newPlanStream() } }),
    answer: bare(fields({ ...COUNTED, data: some(PLAN_STREAM) })),
  },
  {
    name: 'add a stream to a plan',
    spellings: ['POST /planstream/api/add'],
    ask: (world) => ({ body: { planId: 1, streamPath: world.newName('planned/stream'), enable: false } }),
    answer: DONE,
    refusals: [unknown({ body: { planId: 9999, streamPath: 'planned/none' } })],
  },
  {
    name: 'change a stream of a plan',
    spellings: ['POST /planstream/api/update'],
    ask: async (world) => ({ body: { streamPath: await world.newPlanStream(), fragment: '2m', enable: false } }),
    answer: DONE,
    refusals: [unknown({ body: { streamPath: 'planned/none' } })],
  },
  {
    name: 'remove a stream from a plan',
    spellings: ['POST /planstream/api/remove/{planId}/{streamPath}'],
    ask: async (world) => ({ params: { planId: 1, streamPath: await world.newPlanStream() } }),
    answer: DONE,
    refusals: [unknown({ params: { planId: 1, streamPath: 'planned/none' } })],
  },
  {
    name: 'remove a stream from its plan, by type',
    spellings: ['POST /planstream/api/remove/{streamPath}/{recordType}'],
    ask: async (world) => ({ params: { streamPath: await world.newPlanStream(), recordType: 'mp4' } }),
    answer: DONE,
    refusals: [unknown({ params: { streamPath: 'planned/none', recordType: 'mp4' } })],
  },
  {
    name: 'status of what plans record',
    spellings: ['GET /crontab/api/status'],
    ask: async (world) => ({ query: { streamPath: await world.newPlanStream() } }),
    answer: bare(
      fields({
        code: exactly(0),
        message: s,
        totalRunning: u,
        totalPlanned: u,
        runningTasks: list(PLAN_TASK),
        nextTasks: some(PLAN_TASK),
      }),
    ),
  },
]
