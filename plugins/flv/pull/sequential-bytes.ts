import type { RecordingBytes } from 'sluice/sdk'
import { networkReason, SourceError } from 'sluice/sdk/http'
import type { HttpAnswer, SourceClient } from './source-client.ts'

/** The largest forward seek without a new request: the bytes in between are on their way already. */
const MAX_SKIP_BYTES = 1024 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * A recording on a web server, read as it comes; a seek elsewhere requests the rest. A server may hang up on a client that reads at the
 * pace of playback: then the rest is requested, too. Unlike with other sources, calls must be made one after the other.
 */
export class SequentialBytes implements RecordingBytes {
  readonly sizeBytes: number
  readonly #client: Pick<SourceClient, 'get' | 'signal'>
  #answer: HttpAnswer
  #chunks: AsyncIterator<Buffer>
  /** The bytes that came and were not read. */
  #chunk: Buffer = NOTHING
  /** The offset of `#chunk`. */
  #offset = 0
  /** True when bytes have come since the last request. */
  #comes = false

  /** @param answer the answer to a request for all of it */
  constructor(client: Pick<SourceClient, 'get' | 'signal'>, answer: HttpAnswer, sizeBytes: number) {
    this.sizeBytes = sizeBytes
    this.#client = client
    this.#answer = answer
    this.#chunks = answer.body[Symbol.asyncIterator]()
  }

  /** @throws {SourceError} when the server can't be reached, or sends something else */
  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    const endOffset = Math.min(offset + sizeBytes, this.sizeBytes)
    if (endOffset <= offset) return NOTHING
    if (offset < this.#offset || offset > this.#offset + MAX_SKIP_BYTES) await this.#ask(offset)
    const pieces: Buffer[] = []
    for (let at = offset; at < endOffset;) {
      if (this.#chunk.length === 0) await this.#receive()
      this.#take(Math.max(0, at - this.#offset))
      if (this.#offset < at) continue
      const piece = this.#take(endOffset - at)
      pieces.push(piece)
      at += piece.length
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  async close(): Promise<void> {
    this.#answer.body.destroy()
  }

  #take(sizeBytes: number): Buffer {
    const taken = this.#chunk.subarray(0, sizeBytes)
    this.#chunk = this.#chunk.subarray(taken.length)
    this.#offset += taken.length
    return taken
  }

  /** Waits for the next bytes, or requests the rest when the connection was lost in the middle. */
  async #receive(): Promise<void> {
    try {
      const { value, done } = await this.#chunks.next()
      if (done === true) throw new SourceError('the server sent less than it had announced')
      this.#chunk = value
      this.#comes = true
    } catch (error) {
      if (!this.#comes || this.#client.signal.aborted) {
        throw new SourceError(`the connection broke off: ${networkReason(error)}`, { cause: error })
      }
      await this.#ask(this.#offset)
    }
  }

  async #ask(offset: number): Promise<void> {
    this.#answer.body.destroy()
    const answer = await this.#client.get(offset)
    if (answer.offset > offset) {
      answer.body.destroy()
      throw new SourceError('the server sent another part of the recording than was asked for')
    }
    // A server that omits the length now may still send the same recording.
    if (answer.sizeBytes !== undefined && answer.sizeBytes !== this.sizeBytes) {
      answer.body.destroy()
      throw new SourceError('the recording on the server has changed while it was played')
    }
    this.#answer = answer
    this.#chunks = answer.body[Symbol.asyncIterator]()
    this.#chunk = NOTHING
    this.#offset = answer.offset
    this.#comes = false
  }
}
