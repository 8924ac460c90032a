import { StreamPath, StreamUnavailable, Type } from 'sluice/sdk'
import type { RtmpContext } from './plugin-context.ts'

const RemoteUrl = Type.String({ description: 'Address of the target' })

/** The plugin's own operations (api.md 8.1). */
export function addOperations({ operations, services }: RtmpContext): void {
  operations.add({
    method: 'POST',
    path: 'api/push/{streamPath}',
    summary: 'Push a stream out by RTMP',
    params: Type.Object({ streamPath: StreamPath() }),
    body: Type.Union([Type.Object({ remoteURL: RemoteUrl }), RemoteUrl]),
    reach: { stream: 'streamPath' },
    async handle({ params: { streamPath }, body }) {
      const jobs = services.get('jobs')
      if (jobs === undefined) throw new StreamUnavailable('the server takes no jobs')
      await jobs.push({ protocol: 'rtmp', streamPath, url: typeof body === 'string' ? body : body.remoteURL })
    },
  })
}
