import type { RtspConnection } from '../connection.ts'
import type { Transport } from '../wire/transport.ts'
import type { ChannelPair, ChannelTable } from './channel-table.ts'
import type { MediaTransport, PacketHandlers } from './media-transport.ts'

/** RTP and RTCP between the messages of a connection (RFC 2326 10.12). */
export class InterleavedTransport implements MediaTransport {
  readonly isDatagram = false
  readonly #connection: RtspConnection
  readonly #channels: ChannelTable
  readonly #pair: ChannelPair

  /** @param pair two free channels, which are in use until the transport is closed */
  constructor(connection: RtspConnection, channels: ChannelTable, pair: ChannelPair, handlers: PacketHandlers) {
    this.#connection = connection
    this.#channels = channels
    this.#pair = pair
    channels.set(pair, handlers)
  }

  /** The channel of RTP. */
  get channel(): number {
    return this.#pair.rtp
  }

  get answer(): Transport {
    const interleaved = { first: this.#pair.rtp, last: this.#pair.rtcp }
    return { profile: 'RTP/AVP', lowerTransport: 'TCP', delivery: 'unicast', interleaved, others: [] }
  }

  sendRtcp(packet: Buffer): void {
    this.#connection.sendFrame(this.#pair.rtcp, packet)
  }

  close(): void {
    this.#channels.delete(this.#pair)
  }
}
