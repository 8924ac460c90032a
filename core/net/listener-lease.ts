import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { BoundPort, PortHandler } from './bound-port.ts'
import { addressOf, Lease } from './lease.ts'
import type { LeaseOwner, PortTable } from './port-table.ts'
import type { ServerCertificate } from './tls.ts'

/** The use of TCP ports by one owner. Connections that come before the first lease of a port is activated are held. */
export class ListenerLease extends Lease<PortHandler, BoundPort> {
  /** The address that is used instead of `listenaddr`. */
  instead: string | undefined
  readonly #certificate: ServerCertificate | null

  constructor(owner: LeaseOwner, table: PortTable<BoundPort>, certificate: ServerCertificate | null) {
    super(owner, table)
    this.#certificate = certificate
  }

  get addresses(): { host: string; port: number; tls: boolean }[] {
    return [...this.handlers.keys()].map((port) => ({ ...addressOf(port), tls: port.kind === 'tls' }))
  }

  /**
   * Gives a connection of this lease to the lease of the same port that was activated last; returns false when that is this
   * one.
   */
  handOver(socket: Socket, state: unknown): boolean {
    const kind = socket instanceof TLSSocket ? 'tls' : 'tcp'
    for (const [port, handler] of this.handlers) {
      if (port.kind === kind) return port.bound.handOver(socket, state, handler)
    }
    return false
  }

  /** Gives the ports up. Accepted connections go on. */
  override release(): Promise<void> {
    this.#certificate?.close()
    return super.release()
  }
}
