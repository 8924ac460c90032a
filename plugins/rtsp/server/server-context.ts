import type { Duplex } from 'node:stream'
import type { CloseReason, SessionClient } from 'sluice/sdk'
import type { RtspFormats } from '../media/from-stream.ts'
import type { RtspContext } from '../plugin-context.ts'
import type { InterleavedTransport } from '../transport/interleaved-transport.ts'
import type { PacketHandlers } from '../transport/media-transport.ts'
import type { UdpTransport } from '../transport/udp-transport.ts'
import type { Transport } from '../wire/transport.ts'
import type { ServerAuthenticator } from './authenticator.ts'
import type { MulticastGroups } from './multicast-groups.ts'
import type { RtspSession } from './session.ts'

/** The parts of the server that its connections and sessions share. */
export type RtspServerContext = {
  readonly ctx: RtspContext
  readonly formats: RtspFormats
  readonly authenticator: ServerAuthenticator
  readonly multicast: MulticastGroups
  /** Makes a session known by its id. */
  began(session: RtspSession): void
  ended(session: RtspSession): void
  find(id: string): RtspSession | undefined
}

export type Endpoint = { readonly ip: string; readonly port: number }

/** A byte stream with a client at its end, and the address here that it was opened to. */
export type Accepted = { readonly stream: Duplex; readonly client: SessionClient; readonly local: Endpoint }

/** The connection of a client, as its sessions know it. */
export interface SessionConnection {
  readonly stream: Duplex
  readonly client: SessionClient
  readonly closed: boolean
  /** Bytes that came between messages, and belonged to none. */
  readonly strayBytes: number
  /** Aborts when the client goes, which ends every wait for it. */
  readonly leaving: AbortController
  /** Our address. */
  readonly localIp: string
  /** The same, with scheme and port. */
  readonly serverUrl: string
  /** Adds a session, which ends with this connection, unless it can go on without. */
  add(session: RtspSession): void
  /**
   * Opens the transport that a client asks for.
   * @returns undefined when it is not supported
   * @throws {StreamUnavailable} when no ports are free
   */
  openTransport(wanted: Transport, handlers: PacketHandlers): Promise<InterleavedTransport | UdpTransport | undefined>
  /** True when this server, not the client, ended a session with this id. */
  hadSession(id: string): boolean
  /** A session of this connection has ended. */
  sessionEnded(session: RtspSession, reason: CloseReason): void
}
