import { InvalidRequest, StreamNotFound, StreamPath, Type } from 'sluice/sdk'
import type { PullTable } from './client/pull.ts'
import type { RtspContext } from './plugin-context.ts'

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8]

/** The plugin's own operations (api.md 8.1). */
export function addOperations({ operations }: RtspContext, pulls: PullTable): void {
  operations.add({
    method: 'GET',
    path: 'api/playback/speed/{streamPath}',
    summary: 'Set the playback rate of a pulled source',
    params: Type.Object({ streamPath: StreamPath() }),
    query: Type.Object({ speed: Type.Number({ description: `One of ${SPEEDS.join(', ')}` }) }),
    access: 'admin',
    errors: 'in-band',
    reach: { stream: 'streamPath' },
    async handle({ params: { streamPath }, query: { speed } }) {
      if (!SPEEDS.includes(speed)) throw new InvalidRequest(`speed must be ${SPEEDS.join(', ')}`)
      const pull = pulls.get(streamPath)
      if (pull === undefined) throw new StreamNotFound('no RTSP pull has this path')
      await pull.setSpeed(speed)
    },
  })
}
