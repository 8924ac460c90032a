import type { Logger } from 'pino'
import type { Publisher, UnitSink } from 'sluice/sdk'
import { MalformedError, TsDemuxer } from 'sluice/sdk/media'

type TsIngestInit = {
  readonly sink: UnitSink
  readonly log: Logger
  /** Told once that what comes is no MPEG-TS; nothing more is taken then. */
  readonly broken: (why: string) => void
}

/** A payload has no more whole packets of MPEG-TS. */
const PACKETS_PER_PAYLOAD = 7

/** The peer was heard. It counts as alive, unless it sends what can't be carried, and nothing else. */
export function noteSign(
  publisher: Pick<Publisher, 'writtenBytes' | 'alive'>,
  ingest: Pick<TsIngest, 'hasUnsupported'>,
): void {
  if (publisher.writtenBytes > 0 || !ingest.hasUnsupported) publisher.alive()
}

/** Makes units of the payloads of a connection. */
export class TsIngest {
  readonly #init: TsIngestInit
  readonly #demuxer: TsDemuxer
  #unsupportedCount = 0
  #isOver = false

  constructor(init: TsIngestInit) {
    this.#init = init
    this.#demuxer = new TsDemuxer(init.sink)
  }

  /** Units that were left out: cut, broken, or before their configuration was known. */
  get droppedUnits(): number {
    return this.#demuxer.dropped
  }

  /** Streams have come that can't be carried. */
  get hasUnsupported(): boolean {
    return this.#unsupportedCount > 0
  }

  /**
   * Takes a payload, which is borrowed.
   * @param missing How many payloads are missing between the last one and this.
   */
  receive(payload: Buffer, missing: number): void {
    if (this.#isOver) return
    try {
      if (missing > 0) this.#demuxer.lost(missing * PACKETS_PER_PAYLOAD)
      this.#demuxer.push(payload)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#isOver = true
      return this.#init.broken(`what comes is no MPEG-TS: ${error.message}`)
    }
    const { unsupported } = this.#demuxer
    if (unsupported.size > this.#unsupportedCount) this.#tellUnsupported()
  }

  /** Nothing more comes: writes the last units, which were held back until it was known where they end. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#demuxer.flush()
  }

  #tellUnsupported(): void {
    const unsupported = [...this.#demuxer.unsupported]
    this.#unsupportedCount = unsupported.length
    this.#init.log.warn({ unsupported }, "streams are left out that can't be carried")
  }
}
