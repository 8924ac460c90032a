import type { Negotiated } from './wire/handshake/negotiation.ts'
import type { SrtStatistics } from './wire/statistics.ts'

/** A connection in the list for operators. */
export type ConnectionView = {
  /** The id of the publisher or subscriber. */
  readonly id: number
  readonly streamPath: string
  /** `publish` for a publisher or pull, `play` for a player or push. */
  readonly direction: 'publish' | 'play'
  /** Which end called. */
  readonly mode: 'listener' | 'caller' | 'rendezvous'
  readonly remoteAddr: string
  readonly startTime: string
  /** The SRT version that the peer names: libsrt's, or the one it claims to be compatible with. */
  readonly peerVersion: string
  readonly encrypted: boolean
  readonly receiveLatencyMs: number
  readonly sendLatencyMs: number
  readonly statistics: SrtStatistics
}

/** The connections of all generations, by the ids of their sessions. */
export type ConnectionList = Map<number, () => ConnectionView>

/** The version of a handshake as text: `1.5.1`. */
export function versionText({ peerVersion }: Pick<Negotiated, 'peerVersion'>): string {
  return [peerVersion >>> 16, (peerVersion >>> 8) & 0xff, peerVersion & 0xff].join('.')
}

/** An address with its port, as in a URL. */
export function peerText({ ip, port }: { readonly ip: string; readonly port: number }): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${port}`
}
