import { StreamNotFound, StreamPath, Type } from 'sluice/sdk'
import type { WebRtcContext } from './plugin-context.ts'
import type { Sessions } from './server/sessions.ts'

const SessionItem = Type.Object({
  id: Type.Integer(),
  action: Type.String({ description: 'publish or play' }),
  streamPath: Type.String(),
  remoteAddr: Type.String({ description: 'Where it was asked for' }),
  startTime: Type.String({ format: 'date-time' }),
  state: Type.String({ description: 'checking, handshake, connected, or failed for one that never was' }),
  reason: Type.String({ description: 'Why it failed' }),
  pair: Type.String({ description: 'The addresses that media goes between' }),
  rttMs: Type.Number(),
  profile: Type.String({ description: 'How media is encrypted' }),
  checks: Type.Array(Type.String(), { description: 'What was tried to reach the client, and what came of it' }),
  bytesReceived: Type.Number(),
  bytesSent: Type.Number(),
})

/** The plugin's own operations. */
export function addOperations({ operations }: WebRtcContext, sessions: Sessions): void {
  operations.add({
    method: 'GET',
    path: 'api/sessions',
    summary: 'List the sessions of WebRTC, and the latest that failed',
    answer: Type.Array(SessionItem),
    paged: true,
    reach: 'all',
    handle: () => {
      const { running, failed } = sessions.list
      return [...[...running.values()].map((session) => session.view()), ...failed]
    },
  })
  operations.add({
    method: 'DELETE',
    path: 'api/stop/push/{streamPath}',
    aliases: ['DELETE push/{streamPath}', 'DELETE whip/{streamPath}'],
    summary: 'End the WebRTC publisher of a stream',
    params: Type.Object({ streamPath: StreamPath() }),
    wire: 'empty',
    reach: { stream: 'streamPath' },
    handle: ({ params: { streamPath } }) => {
      if (!sessions.stopPublishers(streamPath)) throw new StreamNotFound('nobody publishes this stream by WebRTC')
    },
  })
}
