import { StreamPath, Type, type OperationRegistry } from 'sluice/sdk'
import type { StreamRegistry } from '../../stream/registry.ts'

/** The playhead of a source that has no position (api.md 3.1). */
const UNKNOWN_TIME = '0001-01-01T00:00:00Z'

/**
 * `GET /api/stream/position/sse` (api.md 3.1): the playhead of a source that can seek, in the same times that the seek
 * operation takes. A stream that is not published has no position yet.
 */
export function addPositionOperation(operations: OperationRegistry, streams: StreamRegistry): void {
  operations.events({
    path: '/api/stream/position/sse',
    summary: 'Real-time video position',
    query: Type.Object({ streamPath: StreamPath() }),
    event: Type.String({
      format: 'date-time',
      description: `Seconds of the recording as a time; ${UNKNOWN_TIME} where there are none`,
    }),
    read({ query: { streamPath } }) {
      const position = streams.get(streamPath)?.publisher?.control?.position?.()
      return position === undefined ? UNKNOWN_TIME : timeText(position.atMs)
    },
  })
}

function timeText(ms: number): string {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? UNKNOWN_TIME : time.toISOString()
}
