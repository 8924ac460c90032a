import type { Transport } from '../wire/transport.ts'
import type { MediaTransport } from './media-transport.ts'

/** Datagrams with this time to live, the default of sockets, stay in the local network. */
const TTL = 1

/** One media of a multicast group; clients that set it up join the group by themselves. */
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

  /** Members of a group are not sent RTCP one by one. */
  sendRtcp(): void {}

  close(): void {}
}
