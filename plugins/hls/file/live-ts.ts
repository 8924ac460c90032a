import type { Logger } from 'pino'
import { untilAborted, type Publisher, type PublishOptions, type Track, type UnitSink } from 'sluice/sdk'
import { networkReason, SourceError } from 'sluice/sdk/http'
import { MalformedError, TsDemuxer } from 'sluice/sdk/media'

/** The longest time from the answer to the table of the program. */
const START_TIMEOUT_MS = 30_000
/** The most bytes that are searched for the table. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024

/** A sink that only collects tracks, and plays nothing. */
const NOWHERE: UnitSink = {
  addTrack: (init): Track => ({ ...init, id: 0 }),
  configureTrack: (track, config) => ({ ...track, config }),
  removeTrack: () => {},
  write: () => {},
  lost: () => {},
}

/** A live MPEG-TS, which goes on until it breaks off. */
export class LiveTs {
  /** The counters of MPEG-TS have 33 bits. */
  readonly options: PublishOptions = { timestampBits: 33 }
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #log: Logger
  readonly #head: Buffer[] = []

  private constructor(body: AsyncIterable<Uint8Array>, log: Logger) {
    this.#chunks = body[Symbol.asyncIterator]()
    this.#log = log
  }

  /**
   * Reads up to the table with the tracks. The caller ends the body.
   * @throws {SourceError} when there is none, or no track that can be carried
   */
  static async open(
    body: AsyncIterable<Uint8Array>,
    log: Logger,
    startTimeoutMs: number = START_TIMEOUT_MS,
  ): Promise<LiveTs> {
    const late = new AbortController()
    const error = new SourceError(`no MPEG-TS came within ${startTimeoutMs / 1000} s`)
    const timer = setTimeout(() => late.abort(error), startTimeoutMs)
    const source = new LiveTs(body, log)
    try {
      await Promise.race([source.#probe(), untilAborted(late.signal)])
      return source
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Publishes the stream as it comes.
   * @throws {SourceError} when it ends
   */
  async play(publisher: Publisher): Promise<never> {
    const demuxer = new TsDemuxer(publisher)
    publisher.details(() => ({ droppedUnits: demuxer.dropped }))
    for (const chunk of this.#head.splice(0)) push(demuxer, chunk)
    for (;;) push(demuxer, await this.#next())
  }

  async #probe(): Promise<void> {
    const demuxer = new TsDemuxer(NOWHERE)
    let sizeBytes = 0
    while (demuxer.streamCount === 0) {
      if (demuxer.unsupported.size > 0) {
        throw new SourceError(`the source has no track that can be carried (${[...demuxer.unsupported].join(', ')})`)
      }
      if (sizeBytes > MAX_HEAD_BYTES) throw new SourceError('the source does not say what it holds')
      const chunk = await this.#next()
      this.#head.push(chunk)
      sizeBytes += chunk.length
      push(demuxer, chunk)
    }
    const unsupported = [...demuxer.unsupported]
    if (unsupported.length > 0) this.#log.warn({ unsupported }, "the source has streams that can't be carried")
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#nextChunk()
    if (done === true) throw new SourceError('the source has ended')
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }

  async #nextChunk(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.#chunks.next()
    } catch (error) {
      throw new SourceError(`the connection broke off: ${networkReason(error)}`, { cause: error })
    }
  }
}

function push(demuxer: TsDemuxer, chunk: Buffer): void {
  try {
    demuxer.push(chunk)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new SourceError(`the source sends what is no MPEG-TS: ${error.message}`, { cause: error })
  }
}
