import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../../codec/nalu.ts'
import type { UnitSink } from '../../unit-sink.ts'
import { freeLayer, type AudioCodec, type Track, type VideoCodec } from '../../track.ts'
import { DataPlacement } from './data-placement.ts'
import { isSynchronousKlv, tsDataCodecOf, type TsDataCodec } from './data-entry.ts'
import { KlvStream, SpliceInfoStream, SynchronousKlvStream } from './data-stream.ts'
import type { DemuxCounts } from './demux-counts.ts'
import type { ElementaryStream, ElementaryStreamOptions, TrackTerms } from '../pes/elementary-stream.ts'
import { opusHeadOf } from './opus-descriptor.ts'
import { OpusStream } from './opus-stream.ts'
import { PesAssembler } from './pes-assembler.ts'
import { G711Stream } from '../pes/g711-stream.ts'
import { PES_MAX_LENGTH, PES_PREFIX_SIZE_BYTES } from '../pes/header.ts'
import type { TsProgramMap, TsStreamEntry } from './program-tables.ts'
import { TsSectionReader } from './section.ts'
import { MAX_SPLICE_SECTION_SIZE_BYTES } from './splice-info-section.ts'
import { tsCodecOf, tsLanguageOf } from './stream-entry.ts'
import { SyncedAudioStream } from '../pes/synced-audio-stream.ts'
import { VideoStream } from '../pes/video-stream.ts'

/** The most elementary streams of media of a program that are read; further ones are ignored. */
export const TS_MAX_TRACKS = 16
/** The most of them that may be video: each may hold back a picture of `MAX_ACCESS_UNIT_SIZE_BYTES`. */
export const TS_MAX_VIDEO_TRACKS = 4
/** The most streams of data of a program that are read. */
export const TS_MAX_DATA_TRACKS = 8

/** The limit of a packet of audio or data that states no length: twice the largest that can state one. */
const MAX_PES_SIZE_BYTES = 2 * (PES_PREFIX_SIZE_BYTES + PES_MAX_LENGTH)

type Codec = VideoCodec | AudioCodec | TsDataCodec

/** Chooses the sink for the track of a stream; undefined leaves the stream out. */
type SinkChoice = (pid: number, kind: Track['kind']) => UnitSink | undefined

type StreamFields = {
  readonly kind: Track['kind']
  /** A text that is the same for streams that can go on as one track. */
  readonly format: string
  readonly sink: UnitSink
  readonly terms: TrackTerms
  readonly elementary: ElementaryStream
  /** The continuity counter of the last packet with a payload. */
  counter: number | undefined
}

/** A PID with PES packets. */
export type PesStream = StreamFields & { readonly assembler: PesAssembler; readonly sections?: undefined }
/** A PID with sections. */
export type SectionStream = StreamFields & { readonly sections: TsSectionReader; readonly assembler?: undefined }
/** One PID of the program that is followed. */
export type ProgramStream = PesStream | SectionStream

type FreshStream = { readonly entry: TsStreamEntry; readonly format: string; readonly codec: Codec }

/** The streams of a program by PID, as its last PMT says. */
export class ProgramStreams {
  readonly #sinkOf: SinkChoice
  readonly #counts: DemuxCounts
  readonly #onDrop: () => void
  readonly #placement: DataPlacement
  #byPid = new Map<number, ProgramStream>()
  /** The media that data goes by: the first stream of pictures, or else of sound. */
  #leader: ProgramStream | undefined
  #hasMediaTrack = false

  constructor(sinkOf: SinkChoice, counts: DemuxCounts) {
    this.#sinkOf = sinkOf
    this.#counts = counts
    this.#onDrop = () => void (counts.droppedUnits += 1)
    this.#placement = new DataPlacement(this.#onDrop)
  }

  get size(): number {
    return this.#byPid.size
  }

  get(pid: number): ProgramStream | undefined {
    return this.#byPid.get(pid)
  }

  values(): Iterable<ProgramStream> {
    return this.#byPid.values()
  }

  /** A packet of a stream was written, of this decoding time if it stated one. */
  wrote(stream: ProgramStream, dts: number | undefined): void {
    if (stream === this.#leader && dts !== undefined) this.#placement.moveTo(dts)
    if (this.#hasMediaTrack) this.#placement.open()
  }

  /** A clock reference of the program came. */
  clock(ticks: number): void {
    if (this.#leader === undefined) this.#placement.moveTo(ticks)
  }

  /** Drops the data that waits for a time: the next packets are from another place of the stream. */
  loseTime(): void {
    this.#placement.loseTime()
  }

  /**
   * Follows a new PMT. A stream goes on when its PID stays, or when one of the same format takes its place.
   * @param finish Called with each stream of which no more comes on its PID, before it ends or goes on at another.
   */
  update(map: TsProgramMap, finish: (stream: ProgramStream) => void): void {
    const before = this.#byPid
    const after = new Map<number, ProgramStream>()
    const fresh: FreshStream[] = []
    for (const entry of map.streams) {
      const codec = tsCodecOf(entry) ?? tsDataCodecOf(entry, map.descriptors)
      const format = codec && formatOf(codec, entry)
      const same = before.get(entry.pid)
      if (!format) this.#counts.leaveAside(`stream type 0x${entry.streamType.toString(16).padStart(2, '0')}`)
      else if (same?.format !== format) fresh.push({ entry, format, codec })
      else if (before.delete(entry.pid)) after.set(entry.pid, same)
    }
    this.#byPid = after
    for (const stream of before.values()) finish(stream)
    for (const stream of fresh) {
      const gone = [...before].find(([, { format }]) => format === stream.format)
      if (gone) before.delete(gone[0])
      this.#add(stream, gone?.[1])
    }
    for (const { elementary } of before.values()) elementary.end()
    const media = [...this.#byPid.values()].filter(({ kind }) => kind !== 'data')
    this.#leader = media.find(({ kind }) => kind === 'video') ?? media[0]
    if (media.length === 0 && this.#byPid.size > 0) this.#placement.open()
  }

  #add({ entry, codec, format }: FreshStream, predecessor: ProgramStream | undefined): void {
    if (this.#byPid.has(entry.pid)) return
    const kind = kindOf(codec)
    const sink = predecessor?.sink ?? this.#sinkOf(entry.pid, kind)
    if (sink === undefined) return
    const terms = predecessor?.terms ?? this.#termsOf(kind, sink, entry)
    const hasRoom = this.#hasRoom(kind)
    const elementary = hasRoom ? (predecessor?.elementary ?? this.#open(entry, codec, sink, terms)) : undefined
    if (!elementary) {
      predecessor?.elementary.end()
      return this.#counts.leaveAside(`further ${codec}`)
    }
    predecessor?.elementary.interrupt()
    const stream = { kind, format, sink, terms, elementary, counter: undefined }
    const maxSizeBytes = kind === 'video' ? MAX_ACCESS_UNIT_SIZE_BYTES : MAX_PES_SIZE_BYTES
    const reading =
      codec === 'scte35'
        ? { sections: new TsSectionReader(MAX_SPLICE_SECTION_SIZE_BYTES) }
        : { assembler: new PesAssembler(maxSizeBytes) }
    this.#byPid.set(entry.pid, { ...stream, ...reading })
  }

  #hasRoom(kind: Track['kind']): boolean {
    const count = (counted: Track['kind']) =>
      [...this.#byPid.values()].filter((stream) => stream.kind === counted).length
    if (kind === 'data') return count('data') < TS_MAX_DATA_TRACKS
    if (kind === 'video' && count('video') >= TS_MAX_VIDEO_TRACKS) return false
    return count('video') + count('audio') < TS_MAX_TRACKS
  }

  #termsOf(kind: Track['kind'], sink: UnitSink, entry: TsStreamEntry): TrackTerms {
    const ofKind = [...this.#byPid.values()].filter((stream) => stream.kind === kind && stream.sink === sink)
    const layer = freeLayer(ofKind.map(({ terms }) => terms.layer))
    const language = tsLanguageOf(entry)
    return { ...(language === undefined ? {} : { language }), ...(layer === undefined ? {} : { layer }) }
  }

  #open(entry: TsStreamEntry, codec: Codec, sink: UnitSink, terms: TrackTerms): ElementaryStream | undefined {
    const onTrack = () => {
      this.#hasMediaTrack = true
    }
    const options: ElementaryStreamOptions = { sink, terms, onDrop: this.#onDrop, onTrack }
    const placement = this.#placement
    switch (codec) {
      case 'h264':
      case 'h265':
        return new VideoStream(codec, options)
      case 'aac':
      case 'mp3':
      case 'ac3':
      case 'eac3':
        return new SyncedAudioStream(codec, options)
      case 'opus': {
        const head = opusHeadOf(entry.descriptors)
        return head && new OpusStream(head, options)
      }
      case 'pcma':
      case 'pcmu':
        return new G711Stream(codec, options)
      case 'klv':
        return new (isSynchronousKlv(entry) ? SynchronousKlvStream : KlvStream)({ ...options, placement })
      case 'scte35':
        return new SpliceInfoStream({ ...options, placement })
      default:
        return undefined
    }
  }
}

function kindOf(codec: Codec): Track['kind'] {
  if (codec === 'klv' || codec === 'scte35') return 'data'
  return codec === 'h264' || codec === 'h265' ? 'video' : 'audio'
}

function formatOf(codec: Codec, entry: TsStreamEntry): string {
  if (codec === 'klv') return isSynchronousKlv(entry) ? 'synchronous klv' : codec
  return `${codec} ${opusHeadOf(entry.descriptors)?.toString('hex') ?? ''}`
}
