import { Type, type OperationRegistry } from 'sluice/sdk'
import type { History } from './history.ts'

/** Stands for no time (spec.md, Session record). */
const NO_TIME = '0001-01-01T00:00:00Z'
const MAX_UINT32 = 2 ** 32 - 1

/** `Session` of the API: a run of the server. */
const Session = Type.Object({
  id: Type.Integer(),
  pid: Type.Integer(),
  args: Type.String({ description: 'The command line of the run' }),
  startTime: Type.String({ format: 'date-time' }),
  endTime: Type.String({ format: 'date-time', description: `${NO_TIME} while it runs, and after a crash` }),
})

/** `TaskHistory` of the API: a task that has ended. */
const EndedTask = Type.Object({
  id: Type.Integer(),
  owner: Type.String(),
  type: Type.Integer({ description: 'As in the task tree' }),
  startTime: Type.String({ format: 'date-time' }),
  endTime: Type.String({ format: 'date-time' }),
  description: Type.String({ description: 'JSON text' }),
  reason: Type.String(),
  sessionId: Type.Integer(),
  parentId: Type.Integer(),
})

/**
 * The monitor group (api.md 4). All processes of a server share the database, so any of them answers. These paths come
 * first, also where a plugin has the prefix `debug` or `monitor`.
 */
export function addHistoryOperations(
  operations: OperationRegistry,
  { runs, tasks }: Pick<History, 'runs' | 'tasks'>,
): void {
  operations.add({
    method: 'GET',
    path: '/monitor/api/session/list',
    aliases: ['/debug/api/session/list'],
    summary: 'Session list: the runs of the server',
    answer: Type.Array(Session),
    handle: async () =>
      (await runs.list()).map(({ startTime, endTime, ...run }) => ({
        ...run,
        startTime: startTime.toISOString(),
        endTime: endTime?.toISOString() ?? NO_TIME,
      })),
  })

  operations.add({
    method: 'GET',
    path: '/monitor/api/task/{sessionId}',
    aliases: ['/monitor/api/search/task/{sessionId}', '/debug/api/task/{sessionId}'],
    summary: 'Task history of a session, where global.taskhistory is on',
    params: Type.Object({ sessionId: Type.Integer({ minimum: 0, maximum: MAX_UINT32 }) }),
    answer: Type.Array(EndedTask),
    paged: true,
    async handle({ params: { sessionId } }) {
      const rows = await tasks.ofRun(sessionId)
      return rows.map((row) => ({
        id: row.task_id,
        owner: row.owner,
        type: row.type,
        startTime: new Date(row.start_ms).toISOString(),
        endTime: new Date(row.end_ms).toISOString(),
        description: row.description,
        reason: row.reason,
        sessionId: row.session_id,
        parentId: row.parent_id,
      }))
    },
  })
}
