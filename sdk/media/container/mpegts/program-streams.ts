import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../../codec/nalu.ts'
import type { UnitSink } from '../../unit-sink.ts'
import { freeLayer, type AudioCodec, type VideoCodec } from '../../track.ts'
import type { ElementaryStream, ElementaryStreamOptions, TrackTerms } from './elementary-stream.ts'
import { opusHeadOf } from './opus-descriptor.ts'
import { G711Stream, OpusStream } from './packet-audio-stream.ts'
import { PesAssembler } from './pes-assembler.ts'
import { PES_MAX_LENGTH, PES_PREFIX_SIZE_BYTES } from './pes-header.ts'
import type { TsStreamEntry } from './program-tables.ts'
import { tsCodecOf, tsLanguageOf } from './stream-entry.ts'
import { SyncedAudioStream } from './synced-audio-stream.ts'
import { VideoStream } from './video-stream.ts'

/** How many elementary streams of a program are read; further ones are ignored. */
export const TS_MAX_TRACKS = 16
/** How many of them may be video: each may hold back a picture of `MAX_ACCESS_UNIT_SIZE_BYTES`. */
export const TS_MAX_VIDEO_TRACKS = 4

/** The limit of a packet of audio that states no length: twice the largest that can state one. */
const MAX_AUDIO_PES_SIZE_BYTES = 2 * (PES_PREFIX_SIZE_BYTES + PES_MAX_LENGTH)
/** How many names of ignored streams are kept, since a peer can make up any number. */
const MAX_UNSUPPORTED = 16

/** One PID of the program that is followed. */
export type ProgramStream = {
  readonly kind: 'video' | 'audio'
  /** A text that is the same for streams that can go on as one track. */
  readonly format: string
  readonly terms: TrackTerms
  readonly elementary: ElementaryStream
  readonly assembler: PesAssembler
  /** The continuity counter of the last packet with a payload. */
  counter: number | undefined
}

/** The streams of a program by PID, as its last PMT says. */
export class ProgramStreams {
  readonly #sink: UnitSink
  readonly #onDrop: () => void
  readonly #unsupported = new Set<string>()
  #byPid = new Map<number, ProgramStream>()

  constructor(sink: UnitSink, onDrop: () => void) {
    this.#sink = sink
    this.#onDrop = onDrop
  }

  /** The streams that are ignored, for example `stream type 0x11`. */
  get unsupported(): ReadonlySet<string> {
    return this.#unsupported
  }

  get(pid: number): ProgramStream | undefined {
    return this.#byPid.get(pid)
  }

  values(): Iterable<ProgramStream> {
    return this.#byPid.values()
  }

  leaveAside(what: string): void {
    if (this.#unsupported.size < MAX_UNSUPPORTED) this.#unsupported.add(what)
  }

  /**
   * Follows a new PMT. A stream goes on when its PID stays, or when one of the same format takes its place.
   * @param finish Called with each stream of which no more comes on its PID, before it ends or goes on at another.
   */
  update(entries: readonly TsStreamEntry[], finish: (stream: ProgramStream) => void): void {
    const before = this.#byPid
    const after = new Map<number, ProgramStream>()
    const fresh: { entry: TsStreamEntry; format: string; codec: VideoCodec | AudioCodec }[] = []
    for (const entry of entries) {
      const codec = tsCodecOf(entry)
      const format = codec && `${codec} ${opusHeadOf(entry.descriptors)?.toString('hex') ?? ''}`
      const same = before.get(entry.pid)
      if (!format) this.leaveAside(`stream type 0x${entry.streamType.toString(16).padStart(2, '0')}`)
      else if (same?.format !== format) fresh.push({ entry, format, codec })
      else if (before.delete(entry.pid)) after.set(entry.pid, same)
    }
    this.#byPid = after
    for (const stream of before.values()) finish(stream)
    for (const { entry, format, codec } of fresh) {
      const gone = [...before].find(([, stream]) => stream.format === format)
      if (gone) before.delete(gone[0])
      this.#add(entry, codec, format, gone?.[1])
    }
    for (const { elementary } of before.values()) elementary.end()
  }

  #add(
    entry: TsStreamEntry,
    codec: VideoCodec | AudioCodec,
    format: string,
    predecessor: ProgramStream | undefined,
  ): void {
    if (this.#byPid.has(entry.pid)) return
    const kind = isVideo(codec) ? 'video' : 'audio'
    const terms = predecessor?.terms ?? this.#termsOf(kind, entry)
    const elementary = predecessor?.elementary ?? this.#open(entry, codec, terms)
    const ofKind = [...this.#byPid.values()].filter((stream) => stream.kind === kind).length
    if (!elementary || this.#byPid.size >= TS_MAX_TRACKS || (kind === 'video' && ofKind >= TS_MAX_VIDEO_TRACKS)) {
      predecessor?.elementary.end()
      return this.leaveAside(`further ${codec}`)
    }
    predecessor?.elementary.interrupt()
    const assembler = new PesAssembler(kind === 'video' ? MAX_ACCESS_UNIT_SIZE_BYTES : MAX_AUDIO_PES_SIZE_BYTES)
    this.#byPid.set(entry.pid, { kind, format, terms, elementary, assembler, counter: undefined })
  }

  #termsOf(kind: 'video' | 'audio', entry: TsStreamEntry): TrackTerms {
    const ofKind = [...this.#byPid.values()].filter((stream) => stream.kind === kind)
    const layer = freeLayer(ofKind.map(({ terms }) => terms.layer))
    const language = tsLanguageOf(entry)
    return { ...(language === undefined ? {} : { language }), ...(layer === undefined ? {} : { layer }) }
  }

  #open(
    { descriptors }: TsStreamEntry,
    codec: VideoCodec | AudioCodec,
    terms: TrackTerms,
  ): ElementaryStream | undefined {
    const options: ElementaryStreamOptions = { sink: this.#sink, terms, onDrop: this.#onDrop }
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
        const head = opusHeadOf(descriptors)
        return head && new OpusStream(head, options)
      }
      case 'pcma':
      case 'pcmu':
        return new G711Stream(codec, options)
      default:
        return undefined
    }
  }
}

function isVideo(codec: VideoCodec | AudioCodec): boolean {
  return codec === 'h264' || codec === 'h265'
}
