import { parseAdtsHeader } from '../../codec/aac/adts.ts'
import { parseMp3FrameHeader } from '../../codec/mp3/frame-header.ts'
import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import { PES_TIMESCALE } from '../pes/clock.ts'
import type { ElementaryStream, ElementaryStreamOptions } from '../pes/elementary-stream.ts'
import { G711Stream } from '../pes/g711-stream.ts'
import type { PesHeader } from '../pes/header.ts'
import { SyncedAudioStream } from '../pes/synced-audio-stream.ts'
import type { PsAudioCodec } from './stream-types.ts'

/** The most data of a packet: twice the largest that states a length. */
const MAX_PACKET_SIZE_BYTES = 2 * 0xffff
/** The most that times of G.711 may be off its samples, in ticks: cameras state when they came to send, and some jump. */
export const PS_G711_MAX_JITTER = PES_TIMESCALE / 5

/** The packets of one stream id with sound: a track of the codec that is declared, but of AAC where ADTS is seen. */
export class PsAudioPackets {
  readonly #options: ElementaryStreamOptions
  readonly #pictureTime: () => number | undefined
  #declared: PsAudioCodec | undefined
  #codec: PsAudioCodec | undefined
  #stream: ElementaryStream | undefined
  #pieces: Buffer[] = []
  #sizeBytes = 0
  #pts: number | undefined

  /**
   * @param declared undefined where no map says it
   * @param pictureTime returns the time of the latest picture
   */
  constructor(
    declared: PsAudioCodec | undefined,
    options: ElementaryStreamOptions,
    pictureTime: () => number | undefined,
  ) {
    this.#declared = declared
    this.#pictureTime = pictureTime
    this.#options = options
  }

  /** A map states the codec. */
  declare(codec: PsAudioCodec): void {
    if (codec === this.#declared) return
    this.#declared = codec
    this.#close()
  }

  packet({ pts }: PesHeader): void {
    this.#pieces = []
    this.#sizeBytes = 0
    this.#pts = pts
  }

  data(bytes: Buffer): void {
    this.#sizeBytes += bytes.length
    if (this.#sizeBytes <= MAX_PACKET_SIZE_BYTES) this.#pieces.push(Buffer.from(bytes))
  }

  packetEnd(): void {
    const pieces = this.#pieces
    this.#pieces = []
    if (this.#sizeBytes > MAX_PACKET_SIZE_BYTES) return this.#options.onDrop()
    if (pieces.length > 0) this.#write(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, this.#sizeBytes))
  }

  unitEnds(): void {}

  lost(): void {
    this.#pieces = []
    this.#stream?.interrupt()
    this.#stream?.lost()
  }

  flush(): void {}

  end(): void {
    this.#close()
  }

  #write(data: Buffer): void {
    const codec = this.#codecOf(data)
    if (codec !== this.#codec) this.#open(codec)
    try {
      this.#stream?.write(data, this.#pts, undefined)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#options.onDrop()
    }
  }

  /** The codec of the stream, which the first packet shows that looks like one. */
  #codecOf(data: Buffer): PsAudioCodec {
    if (this.#codec === 'aac') return 'aac'
    if (isAdts(data)) return 'aac'
    return this.#codec ?? this.#declared ?? (isMpegAudio(data) ? 'mp3' : 'pcma')
  }

  #open(codec: PsAudioCodec): void {
    this.#close()
    this.#codec = codec
    const isG711 = codec === 'pcma' || codec === 'pcmu'
    this.#stream = isG711
      ? new G711Stream(codec, this.#options, { maxJitter: PS_G711_MAX_JITTER, pictureTime: this.#pictureTime })
      : new SyncedAudioStream(codec, this.#options)
  }

  #close(): void {
    this.#stream?.end()
    this.#stream = undefined
    this.#codec = undefined
  }
}

/** True when the data is whole frames of ADTS; few samples of G.711 look like that. */
function isAdts(data: Buffer): boolean {
  return isChain(data, (offset) => parseAdtsHeader(data, offset)?.frameSizeBytes)
}

function isMpegAudio(data: Buffer): boolean {
  return isChain(data, (offset) => parseMp3FrameHeader(data.subarray(offset)).sizeBytes)
}

/** True when frames of these sizes follow one another to the end, and one at least. */
function isChain(data: Buffer, sizeAt: (offset: number) => number | undefined): boolean {
  let offset = 0
  while (offset < data.length) {
    const sizeBytes = tryParse((at: number) => sizeAt(at), offset)
    if (sizeBytes === undefined || sizeBytes === 0) return false
    offset += sizeBytes
  }
  return offset === data.length && offset > 0
}
