import { Int64, parseTimeRange, StreamPath, TIME_RANGE, Type, type OperationRegistry } from 'sluice/sdk'
import type { Batches } from '../batch/batches.ts'

const MAX_INTERVAL_SECONDS = 86_400

const Batch = Type.Object({
  id: Int64(),
  streamPath: Type.String(),
  isRecorded: Type.Boolean({ description: 'Of recordings; otherwise of the stream as it is published' }),
  taken: Type.Integer(),
})

/** Adds the operations of batches; a batch is ended as the task that it is, by `POST /api/task/stop/{id}`. */
export function addBatchOperations(operations: OperationRegistry, batches: Batches): void {
  operations.add({
    method: 'GET',
    path: 'api/batches',
    summary: 'The batches of pictures that are being taken',
    answer: Type.Array(Batch),
    reach: 'all',
    handle: () => batches.list(),
  })

  operations.add({
    method: 'POST',
    path: 'api/batch/{streamPath}',
    summary: 'Begin to keep pictures of a stream until a time, or of what was recorded in one',
    params: Type.Object({ streamPath: StreamPath() }),
    body: Type.Object({
      ...TIME_RANGE,
      granularity: Type.Integer({
        default: 0,
        minimum: 0,
        maximum: MAX_INTERVAL_SECONDS,
        description: 'Seconds between pictures; 0 is every keyframe',
      }),
      isRecorded: Type.Boolean({ default: false, description: 'Of recordings, which need a start' }),
    }),
    reach: { stream: 'streamPath' },
    async handle({ params: { streamPath }, body: { granularity, isRecorded, ...range } }) {
      const nowMs = Date.now()
      const { startMs, endMs = nowMs } = parseTimeRange(range, nowMs)
      const batch = { streamPath, startMs, endMs, intervalMs: granularity * 1000 }
      if (isRecorded) await batches.startRecorded(batch)
      else batches.startLive(batch)
    },
  })
}
