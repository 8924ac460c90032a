import type { Logger } from 'pino'
import type { Publisher, PublishOptions } from 'sluice/sdk'
import { networkReason, SourceError } from 'sluice/sdk/http'
import { FlvReader, MalformedError, type FlvTag } from 'sluice/sdk/media'
import { LiveIngest } from './live-ingest.ts'
import type { LiveBytes } from './source-client.ts'

/** A source that goes on until it fails. */
export class LiveSource {
  readonly options: PublishOptions = { timestampBits: 32 }
  readonly #bytes: LiveBytes
  readonly #chunks: AsyncIterator<Buffer>
  readonly #log: Logger
  readonly #reader = new FlvReader()
  #first: readonly FlvTag[] = []

  private constructor(bytes: LiveBytes, log: Logger) {
    this.#bytes = bytes
    this.#chunks = bytes.chunks[Symbol.asyncIterator]()
    this.#log = log
  }

  /**
   * Reads up to the first tag.
   * @throws {SourceError} when the bytes are not FLV, or end before
   */
  static async open(bytes: LiveBytes, log: Logger): Promise<LiveSource> {
    const source = new LiveSource(bytes, log)
    while (source.#first.length === 0) source.#first = await source.#next()
    return source
  }

  /**
   * Publishes the stream as it comes.
   * @throws {SourceError} when it ends
   */
  async play(publisher: Publisher): Promise<never> {
    const ingest = new LiveIngest(publisher, (codec) => this.#log.warn({ codec }, 'a track of the source is left out'))
    publisher.details(() => ({ droppedUnits: ingest.dropped, droppedData: ingest.droppedData }))
    let tags = this.#first
    this.#first = []
    for (;;) {
      this.#guard(() => {
        for (const tag of tags) ingest.receive(tag)
      })
      tags = await this.#next()
    }
  }

  async #next(): Promise<FlvTag[]> {
    const chunk = await this.#nextChunk()
    if (chunk === undefined) throw new SourceError(this.#bytes.end())
    return this.#guard(() => this.#reader.push(chunk))
  }

  async #nextChunk(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.#chunks.next()
      return done === true ? undefined : value
    } catch (error) {
      throw new SourceError(`the connection broke off: ${networkReason(error)}`, { cause: error })
    }
  }

  #guard<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      const { contentType } = this.#bytes
      const said = contentType === '' ? '' : `; it says that it is ${contentType}`
      throw new SourceError(`the source sends what is no FLV: ${error.message}${said}`, { cause: error })
    }
  }
}
