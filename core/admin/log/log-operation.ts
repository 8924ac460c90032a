import { Type, Unsupported, type OperationRegistry } from 'sluice/sdk'
import type { RecentLog } from '../../observe/recent-log.ts'
import { LogLevelSchema, LogLine } from './log-line.ts'
import { LogWatch } from './log-watch.ts'

/** The lines from before that a client gets unless it says how many. */
const TAIL = 10
const MAX_TAIL = 2000

/** Several lines in one event. The first event comes at once, also without a line. */
const LogLines = Type.Object({ lines: Type.Array(LogLine) })

/**
 * `GET /api/log/sse`: the log of this process, as it is written.
 * @param log undefined where another program has the log
 */
export function addLogOperation(operations: OperationRegistry, log: RecentLog | undefined): void {
  operations.events({
    path: '/api/log/sse',
    summary: 'The lines of the log, as they come',
    access: 'admin',
    query: Type.Object({
      level: Type.Optional(LogLevelSchema),
      plugin: Type.Optional(Type.String({ description: 'The lines of this plugin alone' })),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'A text in any field of the line' })),
      tail: Type.Integer({
        default: TAIL,
        minimum: 0,
        maximum: MAX_TAIL,
        description: 'Lines from before, the newest',
      }),
    }),
    event: LogLines,
    async *events({ query, signal }) {
      if (log === undefined) throw new Unsupported('this server is run by another program, which has its log')
      const watch = new LogWatch(log, query)
      const close = () => watch.close()
      signal.addEventListener('abort', close, { once: true })
      try {
        for (let lines = await watch.next(); lines !== undefined; lines = await watch.next()) yield { lines }
      } finally {
        signal.removeEventListener('abort', close)
        watch.close()
      }
    },
  })
}
