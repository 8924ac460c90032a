import type { RtspConnection } from '../connection.ts'
import type { Transport } from '../wire/transport.ts'
import type { ChannelTable } from './channel-table.ts'
import type { MediaTransport, PacketHandlers } from './media-transport.ts'

/** RTP and RTCP between the messages of a connection (RFC 2326 10.12). */
export class InterleavedTransport implements MediaTransport {
  readonly isDatagram = false
  /** Of RTP; RTCP has the next. */
  readonly channel: number
  readonly #connection: RtspConnection
  readonly #channels: ChannelTable

  /** @param channel even, with the next one free */
  constructor(connection: RtspConnection, channels: ChannelTable, channel: number, handlers: PacketHandlers) {
    this.#connection = connection
    this.#channels = channels
    this.channel = channel
    channels.set(channel, handlers)
  }

  get answer(): Transport {
    const interleaved = { first: this.channel, last: this.channel + 1 }
    return { profile: 'RTP/AVP', lowerTransport: 'TCP', delivery: 'unicast', interleaved, others: [] }
  }

  sendRtcp(packet: Buffer): void {
    this.#connection.sendFrame(this.channel + 1, packet)
  }

  close(): void {
    this.#channels.delete(this.channel)
  }
}
