import type { HostPort } from '../sip/link.ts'

/** The way of a session's packets to the platform. */
export interface MediaSocket {
  /** The own port, as the answer states it. */
  readonly port: number
  /** True while the platform takes less than is sent. */
  readonly isCongested: boolean
  /**
   * Makes it ready to send.
   * @throws {Error} when the platform can't be reached
   */
  start(): Promise<void>
  send(packets: readonly Buffer[]): void
  close(): void
}

/** The parts that every media socket is made of. */
export type MediaSocketInit = {
  /** The own address. */
  readonly host: string
  readonly peer: HostPort
  /** The platform has ended the connection. */
  readonly onClosed: () => void
}
