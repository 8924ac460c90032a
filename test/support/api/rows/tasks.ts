import { b, fields, json, list, map, orNull, s, some, ts, u, U, type Check } from '../checks.ts'
import { data, DONE, page, unknown, type Row } from '../row.ts'

const NODE: Check = (value, at) =>
  fields({
    id: u,
    type: u,
    owner: s,
    startTime: ts,
    description: map(s),
    children: list(NODE),
    state: u,
    blocked: orNull(NODE),
    pointer: U,
    startReason: s,
    eventLoopRunning: b,
    level: u,
  })(value, at)
const SESSION = fields({ id: u, pid: u, args: s, startTime: ts, endTime: ts })
const PAST_TASK = fields({
  id: u,
  owner: s,
  type: u,
  startTime: ts,
  endTime: ts,
  description: json,
  reason: s,
  sessionId: u,
  parentId: u,
})

/** Tasks, and runs of the server with theirs (api.md 3.1, 4). */
export const TASK_ROWS: readonly Row[] = [
  { name: 'task tree', spellings: ['GET /api/task/tree'], answer: data(NODE) },
  {
    name: 'terminate task',
    spellings: ['POST /api/task/stop/{id}'],
    ask: async (world) => ({ params: { id: await world.newTask() } }),
    answer: DONE,
    refusals: [unknown({ params: { id: '4000000000' } })],
  },
  {
    name: 'restart task',
    spellings: ['POST /api/task/restart/{id}'],
    ask: async (world) => ({ params: { id: await world.newTask() } }),
    answer: DONE,
    refusals: [unknown({ params: { id: '4000000000' } })],
  },
  {
    name: 'session list',
    spellings: ['GET /monitor/api/session/list', 'GET /debug/api/session/list'],
    answer: data(some(SESSION)),
  },
  {
    name: 'task history',
    spellings: [
      'GET /monitor/api/task/{sessionId}',
      'GET /monitor/api/search/task/{sessionId}',
      'GET /debug/api/task/{sessionId}',
    ],
    ask: () => ({ params: { sessionId: 1 } }),
    answer: page(list(PAST_TASK)),
  },
]
