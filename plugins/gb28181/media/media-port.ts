import type { GbSetup } from '../sdp/session-description.ts'
import type { SipEndpoint } from '../sip/flow.ts'

/** Takes what arrives at a port. */
export type MediaHandlers = {
  /** Takes a packet; `from` is the address of its sender, `host:port`. Returns false when it is not the device's. */
  packet(packet: Buffer, from: string): boolean
  /** Bytes of a connection were no packets: some are missing before the next one. */
  lost(from: string): void
  /** A connection has ended. */
  ended(from: string): void
}

/** The place where the media of a session arrives. */
export interface MediaPort {
  /** The port that the device is told; 9 where it is this server that connects. */
  readonly port: number
  /** The `a=setup` of the offer; undefined by UDP. */
  readonly setup: GbSetup | undefined
  /** Does what is left to do once the device has told its address. @throws {Error} when it can't be connected to */
  answered(address: SipEndpoint): Promise<void>
  /** Gives the port and its connections up. Idempotent. */
  close(): void
}
