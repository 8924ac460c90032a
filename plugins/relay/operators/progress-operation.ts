import { StreamNotFound, StreamPath, Type, type JobStep, type OperationRegistry, type PullJobs } from 'sluice/sdk'

/** `Step` of the API; `completedAt` is empty while it lasts. */
const Step = Type.Object({
  name: Type.String(),
  description: Type.String(),
  error: Type.String(),
  startedAt: Type.String(),
  completedAt: Type.String(),
})

/** `GET /api/stream/progress/{sp}` (api.md 3.2): how far a pull is. */
export function addProgressOperation(operations: OperationRegistry, pulls: Pick<PullJobs, 'get'>): void {
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
      const { steps } = pull
      return { steps: steps.list.map(stepView), currentStep: steps.current }
    },
  })
}

function stepView({ name, description, error, startedAt, completedAt }: JobStep) {
  return { name, description, error, startedAt: startedAt.toISOString(), completedAt: completedAt?.toISOString() ?? '' }
}
