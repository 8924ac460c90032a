import { StreamNotFound, StreamPath, Type, type OperationRegistry } from 'sluice/sdk'
import type { JobStep } from 'sluice/sdk/host'
import type { PullManager } from '../../jobs/pull-manager.ts'

/** `Step` of the API; `completedAt` is empty while it lasts. */
const Step = Type.Object({
  name: Type.String(),
  description: Type.String(),
  error: Type.String(),
  startedAt: Type.String(),
  completedAt: Type.String(),
})

/** `GET /api/stream/progress/{sp}` (api.md 3.2): how far a pull is. */
export function addJobOperations(operations: OperationRegistry, pulls: Pick<PullManager, 'get'>): void {
  operations.add({
    method: 'GET',
    path: '/api/stream/progress/{streamPath}',
    summary: 'Progress of a pull',
    params: Type.Object({ streamPath: StreamPath() }),
    answer: Type.Object({ steps: Type.Array(Step), currentStep: Type.Integer() }),
    reach: { stream: 'streamPath' },
    handle({ params: { streamPath } }) {
      const pull = pulls.get(streamPath)
      if (pull === undefined) throw new StreamNotFound()
      const { steps } = pull.job
      return { steps: steps.list.map(stepView), currentStep: steps.current }
    },
  })
}

function stepView({ name, description, error, startedAt, completedAt }: JobStep) {
  return { name, description, error, startedAt: startedAt.toISOString(), completedAt: completedAt?.toISOString() ?? '' }
}
