import type { RecordingBytes } from 'sluice/sdk'
import { networkReason, SourceError } from 'sluice/sdk/http'
import type { HttpAnswer, SourceClient } from './source-client.ts'

/** What lies this far ahead is not asked for: what is in between is on its way already. */
const MAX_SKIP_BYTES = 1024 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * A recording on a web server, read as it comes; elsewhere by a request for the rest. A server may hang up on who reads at
 * the pace of playback: then the rest is asked for, too. Unlike those of others, its calls are made one after the other.
 */
export class SequentialBytes implements RecordingBytes {
  readonly sizeBytes: number
  readonly #client: Pick<SourceClient, 'get' | 'signal'>
  #answer: HttpAnswer
  #chunks: AsyncIterator<Buffer>
  /** What came and was not read. */
  #chunk: Buffer = NOTHING
  /** Where that begins. */
  #offset = 0
  /** Something has come since it was asked for. */
  #comes = false

  /** @param answer to a request for all of it */
  constructor(client: Pick<SourceClient, 'get' | 'signal'>, answer: HttpAnswer, sizeBytes: number) {
    this.sizeBytes = sizeBytes
    this.#client = client
    this.#answer = answer
    this.#chunks = answer.body[Symbol.asyncIterator]()
  }

  /** @throws {SourceError} when the server can't be reached, or gives something else */
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

  /** Waits for what comes next, or asks for the rest where the connection broke off in the middle. */
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
    // A server that says nothing of a length any more may send the same.
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
