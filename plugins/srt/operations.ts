import { Type } from 'sluice/sdk'
import type { ConnectionList } from './connection-list.ts'
import type { SrtContext } from './plugin-context.ts'
import { STATISTICS_FIELDS } from './statistics-fields.ts'

const ConnectionItem = Type.Object({
  id: Type.Integer({ description: 'Of the publisher or subscriber' }),
  streamPath: Type.String(),
  direction: Type.String({ description: 'publish or play; a pull publishes, a push plays' }),
  mode: Type.String({ description: 'listener, caller or rendezvous, of this end' }),
  remoteAddr: Type.String(),
  startTime: Type.String({ format: 'date-time' }),
  peerVersion: Type.String({ description: 'Of SRT, as 1.5.1' }),
  encrypted: Type.Boolean(),
  receiveLatencyMs: Type.Number(),
  sendLatencyMs: Type.Number(),
  statistics: Type.Object(
    Object.fromEntries(
      Object.entries(STATISTICS_FIELDS).map(([name, description]) => [name, Type.Number({ description })]),
    ),
  ),
})

/** The plugin's own operations. */
export function addOperations({ operations }: SrtContext, connections: ConnectionList): void {
  operations.add({
    method: 'GET',
    path: 'api/sessions',
    summary: "List the connections of SRT, with libsrt's statistics",
    answer: Type.Array(ConnectionItem),
    paged: true,
    reach: 'all',
    handle: () => [...connections.values()].map((view) => view()),
  })
}
