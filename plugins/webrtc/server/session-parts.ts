import type { Logger } from 'pino'
import type { Publisher, Subscriber } from 'sluice/sdk'
import type { NegotiatedMedia } from '../sdp/negotiated-media.ts'
import type { PeerTransport, TransportHandlers } from '../transport/peer-transport.ts'

/** What sessions are made of. */
export type SessionParts = {
  /** @throws {StreamUnavailable} when there is no room for another session, or no port */
  createTransport(init: TransportInit): Promise<PeerTransport>
  createIngest(init: IngestPart): MediaIngest
  createPlayout(init: PlayoutPart): MediaPlayout
}

export type TransportInit = {
  readonly role: 'offerer' | 'answerer'
  /** Where the client's request came from, or what is called; one of this machine is told of loopback addresses, too. */
  readonly clientAddress: string
  /** Says whether datagrams may go to an address of the peer. Default all. */
  readonly mayReach?: (address: string) => boolean
  readonly handlers: TransportHandlers
}

/** What reads the media of a publisher. */
export type IngestPart = {
  readonly sink: Publisher
  readonly medias: readonly NegotiatedMedia[]
  readonly sendRtcp: (packet: Buffer) => void
  readonly pliIntervalMs: number
}

export interface MediaIngest {
  /** Whether each media has at least one track. */
  readonly isComplete: boolean
  readonly counts: Readonly<Record<string, number>>
  rtp(packet: Buffer, nowMs: number): void
  rtcp(packet: Buffer, nowMs: number): void
  requestKeyframe(trackId: number): void
  close(): void
}

/** What sends media to a viewer. */
export type PlayoutPart = {
  readonly medias: readonly NegotiatedMedia[]
  readonly transport: PeerTransport
  readonly subscriber: Subscriber
  readonly bframes: 'drop' | 'reject'
  /** The simulcast layer that the viewer asked for. */
  readonly layer: string | undefined
  /** The name of this end, as its description has it. */
  readonly cname: string
  readonly log: Logger
}

export interface MediaPlayout {
  readonly counts: Readonly<Record<string, string | number | undefined>>
  /** Begins to read the subscriber. Once. */
  start(): void
  rtcp(packet: Buffer): void
  close(): void
}
