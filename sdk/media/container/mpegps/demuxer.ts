import type { ElementaryStreamOptions } from '../pes/elementary-stream.ts'
import { G711Stream } from '../pes/g711-stream.ts'
import type { PesHeader } from '../pes/header.ts'
import { freeLayer } from '../../track.ts'
import type { UnitSink } from '../../unit-sink.ts'
import { PS_G711_MAX_JITTER, PsAudioPackets } from './audio-packets.ts'
import { PsPacketReader, type PsPacketHandler } from './packet-reader.ts'
import type { PsStreamMap } from './stream-map.ts'
import { psCodecOf, psUnsupportedName, type PsAudioCodec } from './stream-types.ts'
import { PsVideoPackets } from './video-packets.ts'

/** The most streams of a kind that are read; further ones are ignored. */
const PS_MAX_STREAMS = { video: 2, audio: 4 } as const
/** The most names of ignored streams that are kept, since a peer can make up any number. */
const MAX_UNSUPPORTED = 16

const FIRST_AUDIO_ID = 0xc0
const FIRST_VIDEO_ID = 0xe0

type Packets = PsVideoPackets | PsAudioPackets
type Kind = keyof typeof PS_MAX_STREAMS
type ReadStream = { readonly kind: Kind; readonly layer: string | undefined; readonly packets: Packets }

/**
 * Turns an MPEG program stream (ISO/IEC 13818-1 2.5), as devices of GB/T 28181 send it, into tracks and units: H.264, H.265,
 * AAC (ADTS), MPEG audio, and G.711 of 8 kHz and one channel. Times are those of the stream, counters of 33 bits of 90 kHz,
 * which start again at 0.
 *
 * The map (PSM) may be missing, come once, or be wrong: the parameter sets of pictures show their codec, and frames with ADTS that
 * sound is AAC; other sound without a map is taken for MPEG audio where it looks so, else for A-law. Pictures are cut into
 * access units where these begin, not where packets do.
 */
export class PsDemuxer {
  readonly #sink: UnitSink
  readonly #streams = new Map<number, ReadStream>()
  /** The stream types of the last map, by stream id. */
  #types = new Map<number, number>()
  /** The ids of streams that have made a track. */
  readonly #withTrack = new Set<number>()
  readonly #unsupported = new Set<string>()
  readonly #reader: PsPacketReader
  #clock: number | undefined
  #latestTime: number | undefined
  #pictureTime: number | undefined
  readonly #pictureTimeOf = () => this.#pictureTime
  #beside: { readonly codec: 'pcma' | 'pcmu'; readonly stream: G711Stream } | undefined
  #current: Packets | undefined
  #dropped = 0
  #losses = 0

  constructor(sink: UnitSink) {
    this.#sink = sink
    const handler: PsPacketHandler = {
      pack: (clock) => (this.#clock = clock),
      map: (map) => this.#map(map),
      packet: (header) => this.#packet(header),
      data: (bytes) => this.#current?.data(bytes),
      packetEnd: () => this.#current?.packetEnd(),
      scrambled: () => this.#leaveAside('scrambled'),
    }
    this.#reader = new PsPacketReader(handler)
  }

  /** The number of units that were dropped: broken, or before their configuration or their time was known. */
  get dropped(): number {
    return this.#dropped
  }

  /** The number of times that bytes were missing. */
  get losses(): number {
    return this.#losses
  }

  /** The number of bytes outside packets. */
  get skippedBytes(): number {
    return this.#reader.skippedBytes
  }

  /** True when there was a map, and all of its streams that can make a track have made one. */
  get isComplete(): boolean {
    if (this.#types.size === 0) return false
    const wanted = [...this.#types].filter(([, streamType]) => psCodecOf(streamType) !== undefined)
    return wanted.every(([streamId]) => this.#withTrack.has(streamId))
  }

  /** Streams that make no track, for example `SVAC video`, and `scrambled`. */
  get unsupported(): ReadonlySet<string> {
    return this.#unsupported
  }

  /**
   * Reads the next bytes, which are borrowed and may begin and end anywhere.
   * @throws {MalformedError} when there was no packet for many bytes; it can go on afterwards.
   */
  push(bytes: Buffer): void {
    this.#reader.push(bytes)
  }

  /** Tells that a picture ends with the bytes so far, as RTP's marker does. Where it was right before, the picture is not held back. */
  unitEnds(): void {
    if (!this.#reader.isBetween) return
    for (const { packets } of this.#streams.values()) packets.unitEnds()
  }

  /**
   * Declares that bytes are missing before the next ones: drops what has come in part, goes on at the next pack, and tells the sink
   * that a unit of each track is lost.
   */
  lost(): void {
    this.#losses += 1
    this.#reader.restart()
    this.#current = undefined
    this.#beside?.stream.interrupt()
    for (const { packets } of this.#streams.values()) packets.lost()
  }

  /**
   * Takes G.711 that comes beside the stream, without a time of the stream: as cameras of Dahua send it, in packets of RTP of its own.
   * It begins at the time of the latest packet, and its samples count from there.
   */
  soundBeside(codec: 'pcma' | 'pcmu', data: Buffer): void {
    if (this.#beside !== undefined && this.#beside.codec !== codec) this.#beside.stream.end()
    if (this.#beside?.codec !== codec)
      this.#beside = {
        codec,
        stream: new G711Stream(codec, this.#options({}), {
          maxJitter: PS_G711_MAX_JITTER,
          pictureTime: this.#pictureTimeOf,
        }),
      }
    if (this.#latestTime !== undefined) this.#beside.stream.write(Buffer.from(data), this.#latestTime)
  }

  /** Writes the picture that is held back until the next one begins. To be called at the end of the stream. */
  flush(): void {
    for (const { packets } of this.#streams.values()) packets.flush()
  }

  #map({ streams }: PsStreamMap): void {
    this.#types = new Map(streams.map(({ streamId, streamType }) => [streamId, streamType]))
    for (const { streamId, streamType } of streams) {
      const codec = psCodecOf(streamType)
      const read = this.#streams.get(streamId)
      if (codec === undefined) {
        this.#leaveAside(psUnsupportedName(streamType))
        read?.packets.end()
        this.#streams.delete(streamId)
      } else if (read?.packets instanceof PsAudioPackets && isAudio(codec)) read.packets.declare(codec)
    }
  }

  #packet(header: PesHeader): void {
    const { streamId } = header
    const time = header.dts ?? header.pts
    if (time !== undefined) this.#latestTime = time
    if (time !== undefined && streamId >= FIRST_VIDEO_ID) this.#pictureTime = time
    this.#current = (this.#streams.get(streamId) ?? this.#open(streamId))?.packets
    this.#current?.packet(header, this.#clock)
  }

  #open(streamId: number): ReadStream | undefined {
    // Private data, such as devices' analysis of their pictures.
    if (streamId < FIRST_AUDIO_ID) return undefined
    const streamType = this.#types.get(streamId)
    const codec = streamType === undefined ? undefined : psCodecOf(streamType)
    if (streamType !== undefined && codec === undefined) return undefined
    const kind = streamId >= FIRST_VIDEO_ID ? 'video' : 'audio'
    const ofKind = [...this.#streams.values()].filter((stream) => stream.kind === kind)
    if (ofKind.length >= PS_MAX_STREAMS[kind]) {
      this.#leaveAside(`further ${kind}`)
      return undefined
    }
    const layer = freeLayer(ofKind.map((stream) => stream.layer))
    const options = this.#options(layer === undefined ? {} : { layer }, () => void this.#withTrack.add(streamId))
    const declared = codec !== undefined && isAudio(codec) ? codec : undefined
    const packets =
      kind === 'video' ? new PsVideoPackets(options) : new PsAudioPackets(declared, options, this.#pictureTimeOf)
    const stream = { kind, layer, packets } as const
    this.#streams.set(streamId, stream)
    return stream
  }

  #options(terms: ElementaryStreamOptions['terms'], onTrack = () => {}): ElementaryStreamOptions {
    return { sink: this.#sink, terms, onDrop: () => void (this.#dropped += 1), onTrack }
  }

  #leaveAside(what: string): void {
    if (this.#unsupported.size < MAX_UNSUPPORTED) this.#unsupported.add(what)
  }
}

function isAudio(codec: string): codec is PsAudioCodec {
  return codec !== 'h264' && codec !== 'h265'
}
