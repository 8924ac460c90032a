import { Ticker } from './media/ticker.ts'
import { SharedUdpSocket } from './sip/shared-udp-socket.ts'

/** A timer for media, and a socket where it is wanted, that many devices of one process share, so that they are cheap. */
export class DeviceSite {
  readonly ticker = new Ticker()
  /** The socket of UDP for SIP of all devices; undefined where each has its own. */
  readonly socket: SharedUdpSocket | undefined

  /** @param init.sharesSocket true when all devices that use UDP have one socket */
  constructor({ sharesSocket = false }: { readonly sharesSocket?: boolean } = {}) {
    this.socket = sharesSocket ? new SharedUdpSocket() : undefined
  }
}
