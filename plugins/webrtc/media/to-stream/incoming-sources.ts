import { rtpFormatProblem, type RtpExtensionElement, type RtpPacket } from 'sluice/sdk/media'
import type { NegotiatedFormat, NegotiatedMedia, RtpExtensionName } from '../../sdp/negotiated-media.ts'
import type { Inlet } from './inlet.ts'

/** The stream and format of a packet. */
export type Route = {
  readonly inlet: Inlet
  readonly format: NegotiatedFormat
  /** True when the packet repeats another one by RTX (RFC 4588). */
  readonly isRepair: boolean
}

type Payload = Pick<Route, 'format' | 'isRepair'>

type MediaEntry = {
  readonly media: NegotiatedMedia
  readonly inlets: readonly Inlet[]
  readonly payloads: ReadonlyMap<number, Payload>
}

/**
 * Finds the stream of each packet of a transport that all medias share (RFC 8843 9.2): by its SSRC when that is known, else by the media in
 * its header extension, else by a payload type that only one media has. A new SSRC replaces the former one of its stream, so that no more
 * are known than there are streams.
 */
export class IncomingSources {
  readonly #medias: readonly MediaEntry[]
  /** The identifiers of header extensions, the same in all medias (RFC 8843 9.1). */
  readonly #extensions = new Map<RtpExtensionName, number>()
  readonly #bySsrc = new Map<number, { readonly entry: MediaEntry; readonly inlet: Inlet }>()

  constructor(inlets: readonly Inlet[]) {
    const medias = [...new Set(inlets.map(({ media }) => media))]
    this.#medias = medias.map((media) => ({
      media,
      inlets: inlets.filter((inlet) => inlet.media === media),
      payloads: payloadsOf(media),
    }))
    for (const { extensions } of medias) for (const [name, id] of extensions) this.#extensions.set(name, id)
    for (const entry of this.#medias) this.#bindNamed(entry)
  }

  /** The value of a header extension. */
  extension(elements: readonly RtpExtensionElement[], name: RtpExtensionName): Buffer | undefined {
    const id = this.#extensions.get(name)
    return id === undefined ? undefined : elements.find((element) => element.id === id)?.data
  }

  /** The stream and format of a packet; undefined for an unknown source. */
  route(packet: RtpPacket, elements: readonly RtpExtensionElement[]): Route | undefined {
    const known = this.#bySsrc.get(packet.ssrc)
    if (known === undefined) return this.#learn(packet, elements)
    const payload = known.entry.payloads.get(packet.payloadType)
    return payload && { inlet: known.inlet, ...payload }
  }

  /** The stream with an SSRC; undefined for the SSRC of repeated packets. */
  inletOf(ssrc: number): Inlet | undefined {
    const inlet = this.#bySsrc.get(ssrc)?.inlet
    return inlet?.ssrc === ssrc ? inlet : undefined
  }

  /** Forgets the SSRCs of a stream that has ended. */
  end(ssrc: number): void {
    const inlet = this.inletOf(ssrc)
    if (inlet !== undefined) this.#release(inlet)
  }

  /** Takes the SSRCs of the description, which does not assign them to layers of simulcast. */
  #bindNamed(entry: MediaEntry): void {
    const { media, inlets } = entry
    const [source] = media.sources
    const [inlet] = inlets
    if (source === undefined || inlet === undefined || media.rids.length > 0) return
    this.#bind(entry, inlet, source.ssrc, false)
    if (source.rtxSsrc !== undefined) this.#bind(entry, inlet, source.rtxSsrc, true)
  }

  #learn(packet: RtpPacket, elements: readonly RtpExtensionElement[]): Route | undefined {
    const entry = this.#entryOf(packet, elements)
    const payload = entry?.payloads.get(packet.payloadType)
    if (entry === undefined || payload === undefined) return undefined
    const rid = this.extension(elements, payload.isRepair ? 'repairedRid' : 'rid')?.toString('latin1')
    const isLayered = entry.media.rids.length > 0
    const inlet = isLayered ? entry.inlets.find((one) => one.rid === rid) : entry.inlets[0]
    if (inlet === undefined) return undefined
    this.#bind(entry, inlet, packet.ssrc, payload.isRepair)
    return { inlet, ...payload }
  }

  #entryOf({ payloadType, payload }: RtpPacket, elements: readonly RtpExtensionElement[]): MediaEntry | undefined {
    const mid = this.extension(elements, 'mid')?.toString('latin1')
    if (mid !== undefined) return this.#medias.find(({ media }) => media.mid === mid)
    // A packet without payload and without the name of its media belongs to no stream.
    if (payload.length === 0) return undefined
    const candidates = this.#medias.filter(({ payloads }) => payloads.has(payloadType))
    return candidates.length === 1 ? candidates[0] : undefined
  }

  #bind(entry: MediaEntry, inlet: Inlet, ssrc: number, isRepair: boolean): void {
    if (isRepair) {
      if (inlet.rtxSsrc !== undefined) this.#bySsrc.delete(inlet.rtxSsrc)
      inlet.rtxSsrc = ssrc
    } else {
      if (inlet.ssrc !== undefined) this.#release(inlet)
      inlet.ssrc = ssrc
    }
    this.#bySsrc.set(ssrc, { entry, inlet })
  }

  #release(inlet: Inlet): void {
    if (inlet.ssrc !== undefined) this.#bySsrc.delete(inlet.ssrc)
    if (inlet.rtxSsrc !== undefined) this.#bySsrc.delete(inlet.rtxSsrc)
    inlet.end()
  }
}

function payloadsOf({ formats }: NegotiatedMedia): ReadonlyMap<number, Payload> {
  const payloads = new Map<number, Payload>()
  for (const format of formats) {
    if (rtpFormatProblem(format.format) !== undefined) continue
    payloads.set(format.format.payloadType, { format, isRepair: false })
    if (format.rtxPayloadType !== undefined) payloads.set(format.rtxPayloadType, { format, isRepair: true })
  }
  return payloads
}
