import type { RunningServer } from '../server.ts'

/** What `GET /srt/api/sessions` says of a connection. */
export type SrtSession = {
  readonly streamPath: string
  readonly direction: 'publish' | 'play'
  /** `host:port` */
  readonly remoteAddr: string
  readonly mode: 'listener' | 'caller' | 'rendezvous'
  readonly encrypted: boolean
  readonly peerVersion: string
  readonly receiveLatencyMs: number
  readonly sendLatencyMs: number
  readonly statistics: Readonly<Record<StatisticName, number>>
}

type StatisticName =
  | 'msRTT'
  | 'pktSentTotal'
  | 'pktRetransTotal'
  | 'pktSndDropTotal'
  | 'pktRecvTotal'
  | 'pktRcvLossTotal'
  | 'pktRcvDropTotal'
  | 'pktRcvUndecryptTotal'
  | 'pktSentNAKTotal'
  | 'byteSentUniqueTotal'

/** The connections of SRT that a server lists. */
export async function sessionsOf(server: RunningServer): Promise<readonly SrtSession[]> {
  return (await server.api('/srt/api/sessions')).body.data as readonly SrtSession[]
}
