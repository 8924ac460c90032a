import type { Duplex } from 'node:stream'
import { socketSink, type Sink } from 'sluice/sdk'
import type { Timers } from '../plugin-context.ts'
import { InterleavedTransport } from '../transport/interleaved-transport.ts'
import { UdpTransport } from '../transport/udp-transport.ts'
import { DatagramSink, type ChannelTarget } from './datagram-sink.ts'
import type { PlayedMedia } from './from-stream.ts'
import type { OfferedMedia } from './offer.ts'

/** A media that is sent, with its transport. */
export type Output = { readonly media: OfferedMedia; readonly transport: InterleavedTransport | UdpTransport }

/** The medias that a session sends, by their places: all over its connection, or all by datagrams. */
export class Outputs {
  readonly #outputs = new Map<number, Output>()
  #datagrams: DatagramSink | undefined

  get size(): number {
    return this.#outputs.size
  }

  get kind(): 'tcp' | 'udp' {
    return [...this.#outputs.values()].some(({ transport }) => transport.isDatagram) ? 'udp' : 'tcp'
  }

  /** Puts a media in the place of the one that was there. */
  set(place: number, output: Output): void {
    this.delete(place)
    this.#outputs.set(place, output)
  }

  delete(place: number): void {
    this.#outputs.get(place)?.transport.close()
    this.#outputs.delete(place)
  }

  /** The medias to be sent, in the order of their places. */
  get medias(): PlayedMedia[] {
    const places = [...this.#outputs.keys()].toSorted((one, other) => one - other)
    return places.map((place) => ({ ...this.#outputs.get(place)!.media, channel: this.channelAt(place) }))
  }

  /**
   * The channel of RTP in the frames of the format. Over UDP, it is the channel that most players use by TCP, so that both share the same
   * bytes.
   */
  channelAt(place: number): number {
    const transport = this.#outputs.get(place)?.transport
    return transport instanceof InterleavedTransport ? transport.channel : place * 2
  }

  /** Creates the sink for the bytes of the format, which writes to `stream` or to the transports' ports. */
  createSink(stream: Duplex, timers: Pick<Timers, 'setTimeout' | 'signal'>): Sink {
    if (this.kind === 'tcp') return socketSink(stream)
    const targets = new Map<number, ChannelTarget>()
    for (const [place, { transport }] of this.#outputs) {
      if (!(transport instanceof UdpTransport)) continue
      const channel = this.channelAt(place)
      targets.set(channel, (packets) => transport.sendRtp(packets))
      targets.set(channel + 1, (packets) => {
        for (const packet of packets) transport.sendRtcp(packet)
      })
    }
    return (this.#datagrams = new DatagramSink(targets, timers))
  }

  /**
   * Sends the bytes that wait, and the goodbye a moment later, then closes and calls `ended`; by TCP, it ends at once and without a
   * goodbye.
   */
  end(goodbye: Buffer | undefined, ended?: () => void): void {
    const close = () => {
      this.close()
      ended?.()
    }
    if (this.#datagrams === undefined || goodbye === undefined) close()
    else this.#datagrams.end(goodbye, close)
  }

  /** Drops the bytes that wait; datagrams end with the goodbye. Idempotent. */
  close(goodbye?: Buffer): void {
    this.#datagrams?.close(goodbye)
    for (const { transport } of this.#outputs.values()) transport.close()
  }
}
