import { performance } from 'node:perf_hooks'
import type { Publisher } from 'sluice/sdk'
import { amfFields, FlvTagDemuxer } from 'sluice/sdk/media'
import { ByteAllowance } from './byte-allowance.ts'
import { parseAggregate } from './wire/message/aggregate.ts'
import { parseData } from './wire/message/data.ts'
import { MESSAGE_TYPE } from './wire/message/message-type.ts'
import type { RawMessage } from './wire/message/raw-message.ts'

/** Larger metadata is not read: parsing it would take milliseconds in which nothing else is done. */
const MAX_METADATA_SIZE_BYTES = 64 * 1024
/** The most bytes of metadata that are parsed in a second; metadata that repeats the last is not counted. */
const METADATA_BYTES_PER_SECOND = 64 * 1024
/** A source without `onMetaData` has no second track when it has sent this much of the first alone. */
const LONE_TRACK_MS = 500

/** The log text for a source that sends an unsupported codec. */
export const LEFT_OUT = 'a track is left out: its codec is not supported'
export const CODEC_ADVICE =
  'send H.264 and AAC, which every player takes: ffmpeg -c:v libx264 -c:a aac; OBS: x264 and AAC'

/** Puts the messages of an RTMP source into a publisher. */
export class RtmpIngest {
  readonly #publisher: Publisher
  readonly #demuxer: FlvTagDemuxer
  readonly #allowance = new ByteAllowance(METADATA_BYTES_PER_SECOND, performance.now())
  /** The last data message that was read. */
  #data: Buffer | undefined
  #droppedData = 0
  /** The kinds of track that the source has announced. */
  #expected: { readonly audio: boolean; readonly video: boolean } | undefined
  /** True when all tracks are known, or no more are expected. */
  #settled = false
  #firstMediaMs: number | undefined

  /** @param onUnsupported Called once for each codec that can't be carried. */
  constructor(publisher: Publisher, onUnsupported: (codecName: string) => void) {
    this.#publisher = publisher
    this.#demuxer = new FlvTagDemuxer(publisher, onUnsupported)
  }

  /** Units that came before their track's sequence header or in a codec that can't be carried. */
  get dropped(): number {
    return this.#demuxer.dropped
  }

  /** Data messages that were not read, as they were too large or too many. */
  get droppedData(): number {
    return this.#droppedData
  }

  /**
   * Takes a media or data message, or an aggregate of them; others are ignored.
   * @throws {MalformedError}
   */
  receive(raw: RawMessage): void {
    switch (raw.typeId) {
      case MESSAGE_TYPE.video:
        this.#demuxer.video(raw.timestamp, raw.payload)
        break
      case MESSAGE_TYPE.audio:
        this.#demuxer.audio(raw.timestamp, raw.payload)
        break
      case MESSAGE_TYPE.dataAmf0:
      case MESSAGE_TYPE.dataAmf3:
        this.#receiveData(raw)
        break
      case MESSAGE_TYPE.aggregate:
        for (const inner of parseAggregate(raw).messages) this.receive(inner)
        return
      default:
        return
    }
    if (!this.#settled) this.#settle(raw.timestamp)
  }

  #receiveData({ typeId, payload }: RawMessage): void {
    if (this.#data?.equals(payload) === true) return
    if (payload.length > MAX_METADATA_SIZE_BYTES || !this.#allowance.take(payload.length, performance.now())) {
      this.#droppedData++
      return
    }
    this.#data = Buffer.from(payload)
    const { name, values } = parseData(payload, typeId === MESSAGE_TYPE.dataAmf3)
    const [event, value] = name === '@setDataFrame' ? values : [name, values[0]]
    const metadata = event === 'onMetaData' ? amfFields(value) : undefined
    if (metadata === undefined) return
    this.#expected = {
      video: 'videocodecid' in metadata || 'videodatarate' in metadata || 'width' in metadata,
      audio: 'audiocodecid' in metadata || 'audiodatarate' in metadata || 'audiosamplerate' in metadata,
    }
    this.#publisher.setMetadata({ ...metadata })
  }

  /** Says that the tracks are complete as soon as that can be known. */
  #settle(timestampMs: number): void {
    const { hasAudio, hasVideo } = this.#demuxer
    if (!hasAudio && !hasVideo) return
    this.#firstMediaMs ??= timestampMs
    const { audio = false, video = false } = this.#expected ?? {}
    const announced = audio || video
    if (announced ? (hasAudio || !audio) && (hasVideo || !video) : isLone(timestampMs - this.#firstMediaMs)) {
      this.#publisher.tracksComplete()
      this.#settled = true
    } else if (!announced && hasAudio && hasVideo) this.#settled = true
  }
}

function isLone(elapsedMs: number): boolean {
  return elapsedMs >= LONE_TRACK_MS
}
