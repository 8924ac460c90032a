import type { Logger } from 'pino'
import type { Publisher, UnitSink } from 'sluice/sdk'
import { MalformedError, TsDemuxer } from 'sluice/sdk/media'

type TsIngestInit = {
  readonly sink: UnitSink
  readonly log: Logger
  /** Called once when the payloads are not MPEG-TS; nothing more is taken then. */
  readonly broken: (why: string) => void
}

/** A payload has no more whole packets of MPEG-TS. */
const PACKETS_PER_PAYLOAD = 7

/** Takes a sign of life of the peer. The publisher counts as alive, unless the peer sends only unsupported streams. */
export function noteSign(
  publisher: Pick<Publisher, 'writtenBytes' | 'alive'>,
  ingest: Pick<TsIngest, 'hasUnsupported'>,
): void {
  if (publisher.writtenBytes > 0 || !ingest.hasUnsupported) publisher.alive()
}

/** Demuxes the payloads of a connection into units. */
export class TsIngest {
  readonly #init: TsIngestInit
  readonly #demuxer: TsDemuxer
  #unsupportedCount = 0
  #isOver = false

  constructor(init: TsIngestInit) {
    this.#init = init
    this.#demuxer = new TsDemuxer(init.sink)
  }

  /** The units that were left out: cut, broken, or before their configuration was known. */
  get droppedUnits(): number {
    return this.#demuxer.dropped
  }

  /** True when streams of unsupported types have come. */
  get hasUnsupported(): boolean {
    return this.#unsupportedCount > 0
  }

  /**
   * Takes a payload, which is borrowed.
   * @param missing the number of payloads that are missing before this one
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

  /** Writes the last units, which were held back until their end was known; nothing more comes. */
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
