import type { RecordingBytes } from 'sluice/sdk'

/** A file in memory that counts how often it is read. */
export class MemoryBytes implements RecordingBytes {
  reads = 0
  /** The most that was asked for at once. */
  mostBytes = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get sizeBytes(): number {
    return this.#bytes.length
  }

  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    this.reads += 1
    this.mostBytes = Math.max(this.mostBytes, sizeBytes)
    return this.#bytes.subarray(Math.max(0, offset), Math.max(0, offset) + sizeBytes)
  }

  async close(): Promise<void> {}
}
