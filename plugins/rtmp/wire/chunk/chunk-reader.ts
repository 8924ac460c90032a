import { MalformedError } from 'sluice/sdk/media'
import { MESSAGE_TYPE } from '../message/message-type.ts'
import { parseAbort, parseSetChunkSize } from '../message/protocol-control.ts'
import type { RawMessage } from '../message/raw-message.ts'
import { ChunkStream, NEED_MORE } from './chunk-stream.ts'
import { DEFAULT_CHUNK_SIZE_BYTES, MAX_CHUNK_STREAMS, MAX_PARTIAL_SIZE_BYTES } from './limits.ts'
import { PartialMessage } from './partial-message.ts'

const NOTHING = Buffer.alloc(0)

/**
 * Assembles messages from the chunks of a connection (RTMP 1.0 §5.3), in whatever pieces the bytes arrive. Push
 * bytes, then read until `null`; a reader of messages that must wait in between simply reads on later.
 *
 * Set Chunk Size and Abort are obeyed here and not returned. Works the same for a server and for a client.
 */
export class ChunkReader {
  /** The most bytes that the unfinished messages may hold together. */
  maxPartialBytes = MAX_PARTIAL_SIZE_BYTES
  /** The number of chunks that have begun, a measure of the work done. */
  chunkCount = 0
  readonly #streams = new Map<number, ChunkStream>()
  #chunkSizeBytes = DEFAULT_CHUNK_SIZE_BYTES
  #partialBytes = 0
  #bytes: Buffer = NOTHING
  #position = 0
  /** The chunk stream of the chunk that is being read. */
  #stream: ChunkStream | undefined
  #chunkBytesLeft = 0

  /** The chunk size that the peer set last, in bytes. */
  get chunkSizeBytes(): number {
    return this.#chunkSizeBytes
  }

  /**
   * Takes the next bytes. They are kept: payloads that lie within one chunk and one push are views into them.
   * Bytes that were pushed before and are not read yet are copied together with them.
   */
  push(bytes: Buffer): void {
    const unread = this.#bytes.length - this.#position
    this.#bytes = unread === 0 ? bytes : Buffer.concat([this.#bytes.subarray(this.#position), bytes])
    this.#position = 0
  }

  /**
   * The next message, or `null` when more bytes are needed. The payload belongs to the caller.
   * @throws {MalformedError} when the bytes break the format or a limit; the connection is of no use after that.
   */
  read(): RawMessage | null {
    while (this.#stream || this.#beginChunk()) {
      const stream = this.#stream!
      const payload = this.#readPayload(stream)
      if (this.#chunkBytesLeft > 0) break
      this.#stream = undefined
      if (!payload) continue
      const message = stream.message(payload)
      if (!this.#obey(message)) return message
    }
    // An idle connection must not keep the last bytes it read.
    if (this.#position === this.#bytes.length) this.#bytes = NOTHING
    if (this.#bytes === NOTHING) this.#position = 0
    return null
  }

  #beginChunk(): boolean {
    const bytes = this.#bytes
    let offset = this.#position
    if (offset >= bytes.length) return false
    const first = bytes[offset]!
    let id = first & 0x3f
    // The ids 0 and 1 mean that one or two more bytes contain the id, less 64, low byte first (RTMP 1.0 §5.3.1.1).
    const idBytes = id < 2 ? id + 1 : 0
    if (offset + idBytes >= bytes.length && idBytes > 0) return false
    if (idBytes > 0) id = 64 + bytes.readUIntLE(offset + 1, idBytes)
    offset += 1 + idBytes
    const stream = this.#streams.get(id) ?? this.#openStream(id)
    const payloadStart = stream.readHeader(first >>> 6, bytes, offset)
    if (payloadStart === NEED_MORE) return false
    this.chunkCount += 1
    this.#position = payloadStart
    this.#stream = stream
    this.#chunkBytesLeft = Math.min(this.#chunkSizeBytes, stream.partial?.missingBytes ?? stream.sizeBytes)
    return true
  }

  /** Takes the available bytes of the chunk's payload; returns the message's payload when it is complete. */
  #readPayload(stream: ChunkStream): Buffer | null {
    const start = this.#position
    const taken = Math.min(this.#chunkBytesLeft, this.#bytes.length - start)
    const end = start + taken
    this.#position = end
    this.#chunkBytesLeft -= taken
    if (!stream.partial && taken === stream.sizeBytes) return this.#bytes.subarray(start, end)
    if (taken === 0) return null
    const partial = this.#appendPartial(stream, start, end)
    if (partial.missingBytes > 0) return null
    this.#dropPartial(stream)
    return partial.bytes
  }

  #appendPartial(stream: ChunkStream, start: number, end: number): PartialMessage {
    const before = stream.partial?.capacityBytes ?? 0
    const partial = (stream.partial ??= new PartialMessage(stream.sizeBytes))
    partial.append(this.#bytes, start, end)
    this.#partialBytes += partial.capacityBytes - before
    if (this.#partialBytes > this.maxPartialBytes) {
      throw new MalformedError(`unfinished messages of ${this.#partialBytes} bytes, above ${this.maxPartialBytes}`)
    }
    return partial
  }

  #dropPartial(stream: ChunkStream): void {
    this.#partialBytes -= stream.partial?.capacityBytes ?? 0
    stream.partial = undefined
  }

  #openStream(id: number): ChunkStream {
    if (this.#streams.size === MAX_CHUNK_STREAMS)
      throw new MalformedError(`more than ${MAX_CHUNK_STREAMS} chunk streams`)
    const stream = new ChunkStream(id)
    this.#streams.set(id, stream)
    return stream
  }

  /** Obeys a message for the chunk layer; returns false for every other message. */
  #obey(message: RawMessage): boolean {
    if (message.typeId === MESSAGE_TYPE.setChunkSize) {
      this.#chunkSizeBytes = parseSetChunkSize(message.payload).sizeBytes
      return true
    }
    if (message.typeId !== MESSAGE_TYPE.abort) return false
    const aborted = this.#streams.get(parseAbort(message.payload).chunkStreamId)
    if (aborted) this.#dropPartial(aborted)
    return true
  }
}
