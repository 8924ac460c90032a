import type { Logger } from 'pino'
import type { Publisher, Subscriber } from 'sluice/sdk'
import type { NegotiatedMedia } from '../sdp/negotiated-media.ts'
import type { PeerTransport, TransportHandlers } from '../transport/peer-transport.ts'

/** Creates the parts of sessions. */
export type SessionParts = {
  /** @throws {StreamUnavailable} when there is no room for another session, or no port */
  createTransport(init: TransportInit): Promise<PeerTransport>
  createIngest(init: IngestPart): MediaIngest
  createPlayout(init: PlayoutPart): MediaPlayout
}

export type TransportInit = {
  readonly role: 'offerer' | 'answerer'
  /** The address of the client's request, or of the server that is called; a client on this machine also gets loopback addresses. */
  readonly clientAddress: string
  /** Returns true when datagrams may go to an address of the peer. Default all. */
  readonly mayReach?: (address: string) => boolean
  readonly handlers: TransportHandlers
}

/** The options of an ingest, which receives the media of a publisher. */
export type IngestPart = {
  readonly sink: Publisher
  readonly medias: readonly NegotiatedMedia[]
  readonly sendRtcp: (packet: Buffer) => void
  readonly pliIntervalMs: number
}

export interface MediaIngest {
  /** True when each media has at least one track. */
  readonly isComplete: boolean
  readonly counts: Readonly<Record<string, number>>
  rtp(packet: Buffer, nowMs: number): void
  rtcp(packet: Buffer, nowMs: number): void
  requestKeyframe(trackId: number): void
  close(): void
}

/** The options of a playout, which sends media to a viewer. */
export type PlayoutPart = {
  readonly medias: readonly NegotiatedMedia[]
  readonly transport: PeerTransport
  readonly subscriber: Subscriber
  readonly bframes: 'drop' | 'reject'
  /** The simulcast layer that the viewer asked for; undefined for none. */
  readonly layer: string | undefined
  /** The CNAME of this end, as its description has it. */
  readonly cname: string
  readonly log: Logger
}

export interface MediaPlayout {
  readonly counts: Readonly<Record<string, string | number | undefined>>
  /** Begins to read the subscriber. Called once. */
  start(): void
  rtcp(packet: Buffer): void
  close(): void
}
