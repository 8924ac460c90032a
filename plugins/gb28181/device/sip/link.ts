import type { SipMessage } from './message.ts'

/** An address of a peer. */
export type HostPort = { readonly host: string; readonly port: number }

/** The address that messages of SIP go to. */
export type SipLinkHandler = {
  /** Takes a message, and how to answer to where it came from. */
  readonly onMessage: (message: SipMessage, source: HostPort, answer: (bytes: Buffer) => void) => void
  /** The connection has ended, without having been closed here. */
  readonly onClosed: () => void
}

/** A way to the server: a socket of UDP, or a connection. */
export interface SipLink {
  /** The name in `Via` (RFC 3261 18.1.1). */
  readonly transport: 'UDP' | 'TCP'
  /** The own address; known once it is open. */
  readonly local: HostPort
  /** @throws {Error} when it can't be opened */
  open(handler: SipLinkHandler): Promise<void>
  /** Sends bytes to the server. What can't be sent is lost. */
  send(bytes: Buffer): void
  close(): void
}

/** No address, as long as a link isn't open. */
export const NO_ADDRESS: HostPort = { host: '0.0.0.0', port: 0 }
