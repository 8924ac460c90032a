import type { Sink } from 'sluice/sdk'

/** A sink that holds media back until the answer to PLAY has been sent. */
export class StartSink implements Sink {
  readonly #sink: Sink
  #kept: Buffer[] | undefined = []
  #keptBytes = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  get queuedBytes(): number {
    return this.#keptBytes + this.#sink.queuedBytes
  }

  /** The bytes that have come so far. */
  get kept(): readonly Buffer[] {
    return this.#kept ?? []
  }

  write(bytes: Buffer): void {
    if (this.#kept === undefined) return this.#sink.write(bytes)
    this.#kept.push(bytes)
    this.#keptBytes += bytes.length
  }

  /** Writes the bytes that were kept, and from now on passes all others through. */
  release(): void {
    const kept = this.kept
    this.#kept = undefined
    this.#keptBytes = 0
    for (const bytes of kept) this.#sink.write(bytes)
  }
}
