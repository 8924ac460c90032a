import type { Transport } from '../wire/transport.ts'
import type { MediaTransport } from './media-transport.ts'

/** Datagrams stay in the local network, which is what sockets do unless told otherwise. */
const TTL = 1

/** One media of a multicast group; who has it set up joins the group by itself. */
export class MulticastTransport implements MediaTransport {
  readonly isDatagram = true
  readonly answer: Transport

  constructor(destination: string, rtpPort: number) {
    const port = { first: rtpPort, last: rtpPort + 1 }
    this.answer = {
      profile: 'RTP/AVP',
      lowerTransport: 'UDP',
      delivery: 'multicast',
      destination,
      port,
      ttl: TTL,
      others: [],
    }
  }

  /** A group has many members, and nothing to say to one of them. */
  sendRtcp(): void {}

  close(): void {}
}
