import { isIPv4 } from 'node:net'
import { StreamUnavailable, type Subscriber, type UdpListener } from 'sluice/sdk'
import { DatagramSink, type ChannelTarget } from '../media/datagram-sink.ts'
import type { RtspFormats } from '../media/from-stream.ts'
import { type OfferedMedia } from '../media/offer.ts'
import type { RtspContext } from '../plugin-context.ts'
import { MulticastTransport } from '../transport/multicast-transport.ts'

/** The most streams that are sent by multicast at a time, and so the addresses that are used. */
const MAX_GROUPS = 256
const CLIENT = { ip: '', port: 0, userAgent: 'multicast' }

type MulticastOptions = { readonly ctx: RtspContext; readonly formats: RtspFormats }

/** The multicast groups that streams are sent to, one for each stream while it has players there. */
export class MulticastGroups {
  readonly #options: MulticastOptions
  /** The groups that players can join, by the path of their stream. */
  readonly #groups = new Map<string, MulticastGroup>()
  /** All groups that still send, including those that only send a goodbye, which their address would give to the next players. */
  readonly #open = new Set<MulticastGroup>()

  constructor(options: MulticastOptions) {
    this.#options = options
  }

  /**
   * Takes a player into the group of a stream.
   * @returns undefined when multicast is switched off
   * @throws {StreamUnavailable} when there is no address left
   */
  join(streamPath: string, medias: readonly OfferedMedia[]): MulticastGroup | undefined {
    const { ctx, formats } = this.#options
    const { address, port } = ctx.config.multicast
    if (!isIPv4(address)) return undefined
    const known = this.#groups.get(streamPath)
    if (known !== undefined) return known.join()
    const taken = new Set([...this.#open].map((group) => group.address))
    const free = addressesFrom(address).find((candidate) => !taken.has(candidate))
    if (free === undefined) throw new StreamUnavailable('no multicast address is free')
    const onEmpty = () => this.#groups.delete(streamPath)
    const onClosed = () => this.#open.delete(group)
    const options = { ctx, formats, streamPath, medias, address: free, port, onEmpty, onClosed }
    const group: MulticastGroup = new MulticastGroup(options)
    this.#groups.set(streamPath, group)
    this.#open.add(group)
    return group.join()
  }
}

function addressesFrom(first: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = first.split('.').map(Number)
  return Array.from({ length: MAX_GROUPS - d }, (_, index) => `${a}.${b}.${c}.${d + index}`)
}

type GroupOptions = MulticastOptions & {
  readonly streamPath: string
  readonly medias: readonly OfferedMedia[]
  readonly address: string
  /** The port for RTP of the first media; the other ports follow. */
  readonly port: number
  /** The last player has gone. */
  readonly onEmpty: () => void
  /** Nothing is sent any more; may be called again. */
  readonly onClosed: () => void
}

/** One stream on its way to a multicast group: it is sent once, however many players have joined. */
export class MulticastGroup {
  readonly address: string
  readonly #options: GroupOptions
  #members = 0
  #begun: Promise<void> | undefined
  #subscriber: Subscriber | undefined
  #listener: UdpListener | undefined
  #sink: DatagramSink | undefined
  /** The goodbye that ends the media. */
  #goodbye: Buffer | undefined

  constructor(options: GroupOptions) {
    this.#options = options
    this.address = options.address
  }

  join(): this {
    this.#members += 1
    return this
  }

  /** A player goes; with the last one, the sending ends. */
  leave(): void {
    this.#members -= 1
    if (this.#members > 0) return
    this.#options.onEmpty()
    this.#subscriber?.close('nobody plays by multicast any more')
    this.#end()
  }

  transport(place: number): MulticastTransport {
    return new MulticastTransport(this.address, this.#portOf(place))
  }

  /** Begins to send, or has the source send a keyframe for who comes later. @throws {SluiceError} */
  begin(): Promise<void> {
    this.#subscriber?.requestKeyframe()
    return (this.#begun ??= this.#begin())
  }

  async #begin(): Promise<void> {
    const { ctx, formats, streamPath, medias } = this.#options
    const listener = await ctx.net.udpPort(ctx.config.udpport, () => false)
    this.#listener = listener
    const subscriber = await ctx.streams.subscribe({ streamPath, type: 'api', url: '', query: '', client: CLIENT })
    this.#subscriber = subscriber
    subscriber.onClose(() => this.#end())
    if (this.#members === 0) return subscriber.close('nobody plays by multicast any more')
    const played = medias.map((media, place) => ({ ...media, channel: place * 2 }))
    const targets = new Map<number, ChannelTarget>()
    for (const place of medias.keys()) {
      for (const rtcp of [0, 1]) {
        const peer = { remoteAddress: this.address, remotePort: this.#portOf(place) + rtcp }
        targets.set(place * 2 + rtcp, (datagrams) => listener.send(datagrams, peer))
      }
    }
    const { muxing, goodbye } = formats.get(played)
    this.#goodbye = goodbye
    this.#sink = new DatagramSink(targets, ctx)
    subscriber.attach(muxing, this.#sink)
  }

  #portOf(place: number): number {
    return this.#options.port + place * 2
  }

  #end(): void {
    if (this.#sink === undefined || this.#goodbye === undefined) this.#close()
    else this.#sink.end(this.#goodbye, () => this.#close())
  }

  #close(): void {
    void this.#listener?.close()
    if (this.#members === 0) this.#options.onClosed()
  }
}
