import type { BoundUdpPort, UdpPortHandler } from './bound-udp-port.ts'
import { Lease } from './lease.ts'

/** The use of a UDP port by one owner. */
export class UdpLease extends Lease<UdpPortHandler, BoundUdpPort> {
  /** @throws {Error} before the port is taken */
  get port(): BoundUdpPort {
    const [port] = this.handlers.keys()
    if (port === undefined) throw new Error('the lease has no port')
    return port.bound
  }
}
