import { MalformedError } from 'sluice/sdk/media'
import { carriesMedia, isMediaType } from '../message/message-type.ts'
import { MAX_COMMAND_SIZE_BYTES, MAX_MEDIA_MESSAGE_SIZE_BYTES, MAX_MESSAGE_SIZE_BYTES } from './limits.ts'
import type { PartialMessage } from './partial-message.ts'
import type { RawMessage } from '../message/raw-message.ts'

/** The value of the 24-bit timestamp field when the time is in four bytes after the header (RTMP 1.0 §5.3.1.3). */
export const EXTENDED_TIMESTAMP = 0xff_ff_ff

/** Sizes of the message header by chunk format (RTMP 1.0 §5.3.1.2). */
const HEADER_SIZES = [11, 7, 3, 0] as const

/** The result of reading a header that is incomplete. */
export const NEED_MORE = -1

/**
 * One chunk stream as its receiver sees it: the last header, which shorter ones refer to, and the unfinished message.
 *
 * ```
 * format 0  timestamp 24 | length 24 | type 8 | message stream 32, little endian
 * format 1  delta 24     | length 24 | type 8
 * format 2  delta 24
 * format 3  nothing: the same again, or the next chunk of a message
 * ```
 */
export class ChunkStream {
  readonly #id: number
  /** Undefined between messages. */
  partial: PartialMessage | undefined
  #started = false
  #timestamp = 0
  #delta = 0
  #extended = false
  #sizeBytes = 0
  #typeId = 0
  #messageStreamId = 0

  constructor(id: number) {
    this.#id = id
  }

  /** The size in bytes of the message to which the next chunk belongs. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /**
   * Reads the message header of a chunk that starts at `offset`, with its extended timestamp.
   * Returns `NEED_MORE` without a change, or the offset at which the chunk's payload starts.
   * @throws {MalformedError} when the header doesn't fit what came before it, or announces too long a message.
   */
  readHeader(format: number, bytes: Buffer, offset: number): number {
    if (format === 3) return this.#readFormat3(bytes, offset)
    if (this.partial) throw new MalformedError(`format ${format} within a message on chunk stream ${this.#id}`)
    // librtmp opens chunk stream 2 with format 1 for its ping responses.
    if (!this.#started && format === 2) throw new MalformedError(`format 2 first on chunk stream ${this.#id}`)
    let end = offset + HEADER_SIZES[format as 0 | 1 | 2]
    if (end > bytes.length) return NEED_MORE
    let time = bytes.readUIntBE(offset, 3)
    const extended = time === EXTENDED_TIMESTAMP
    if (extended) {
      if (end + 4 > bytes.length) return NEED_MORE
      time = bytes.readUInt32BE(end)
      end += 4
    }
    if (format < 2) this.#setMessage(bytes.readUIntBE(offset + 3, 3), bytes[offset + 6]!)
    if (format === 0) this.#messageStreamId = bytes.readUInt32LE(offset + 7)
    this.#timestamp = format === 0 ? time : (this.#timestamp + time) >>> 0
    this.#delta = time
    this.#extended = extended
    this.#started = true
    return end
  }

  /** The finished message. */
  message(payload: Buffer): RawMessage {
    return {
      chunkStreamId: this.#id,
      typeId: this.#typeId,
      messageStreamId: this.#messageStreamId,
      timestamp: this.#timestamp,
      payload,
    }
  }

  #readFormat3(bytes: Buffer, offset: number): number {
    if (!this.#started) throw new MalformedError(`format 3 first on chunk stream ${this.#id}`)
    const end = this.#extended ? this.#skipExtendedTimestamp(bytes, offset) : offset
    // A new message repeats the step; after format 0 the timestamp is the step (§5.3.1.2.4), and ffmpeg relies on it.
    if (end !== NEED_MORE && !this.partial) this.#timestamp = (this.#timestamp + this.#delta) >>> 0
    return end
  }

  /**
   * Peers disagree on whether format 3 repeats the extended timestamp (§5.3.1.3 says yes; old Flash encoders and some
   * cameras say no), so it is there when the bytes are the ones expected.
   */
  #skipExtendedTimestamp(bytes: Buffer, offset: number): number {
    const available = Math.min(4, bytes.length - offset)
    for (let i = 0; i < available; i += 1) {
      if (bytes[offset + i] !== ((this.#delta >>> (24 - 8 * i)) & 0xff)) return offset
    }
    return available === 4 ? offset + 4 : NEED_MORE
  }

  #setMessage(sizeBytes: number, typeId: number): void {
    const limit = maxSizeOf(typeId)
    if (sizeBytes > limit) throw new MalformedError(`message of type ${typeId} has ${sizeBytes} bytes, above ${limit}`)
    this.#sizeBytes = sizeBytes
    this.#typeId = typeId
  }
}

function maxSizeOf(typeId: number): number {
  if (isMediaType(typeId)) return MAX_MEDIA_MESSAGE_SIZE_BYTES
  return carriesMedia(typeId) ? MAX_MESSAGE_SIZE_BYTES : MAX_COMMAND_SIZE_BYTES
}
