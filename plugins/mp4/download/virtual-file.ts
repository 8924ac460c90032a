import type { RecordingBytes } from 'sluice/sdk'
import type { ByteRange, RangedContent } from 'sluice/sdk/http'
import { BlockReader } from '../file/block-reader.ts'
import type { DownloadSource } from './download-source.ts'

/** So much is given at a time, at most. */
const MAX_READ_SIZE_BYTES = 256 * 1024

/** Bytes of a file that is nowhere as a whole. */
export type VirtualPiece = { readonly sizeBytes: number } & (
  | { readonly bytes: Buffer }
  /** Bytes of a source. */
  | { readonly source: DownloadSource; readonly offset: number }
  /** Bytes that are made of a source, which takes less than to keep them. */
  | { readonly source: DownloadSource; make(bytes: RecordingBytes): Promise<Buffer> }
)

/** A file that is put together of pieces while it is read. Each reading has one source open at a time. */
export class VirtualFile implements RangedContent {
  readonly type: string
  readonly etag: string | undefined
  readonly sizeBytes: number
  readonly #pieces: readonly VirtualPiece[]
  /** Where each piece begins. */
  readonly #offsets: Float64Array

  constructor(pieces: readonly VirtualPiece[], { type, etag }: Pick<RangedContent, 'type' | 'etag'>) {
    this.type = type
    this.etag = etag
    this.#pieces = pieces
    this.#offsets = new Float64Array(pieces.length)
    let sizeBytes = 0
    for (const [index, piece] of pieces.entries()) {
      this.#offsets[index] = sizeBytes
      sizeBytes += piece.sizeBytes
    }
    this.sizeBytes = sizeBytes
  }

  /** @throws {Error} when a source can't be read any more, or has become shorter */
  async *read({ first, last }: ByteRange): AsyncGenerator<Buffer, void> {
    const reading = new PieceReading()
    try {
      let position = first
      for (let index = this.#indexAt(first); position <= last && index < this.#pieces.length; index++) {
        const offset = this.#offsets[index]!
        const piece = this.#pieces[index]!
        const end = Math.min(piece.sizeBytes, last + 1 - offset)
        for (let from = position - offset; from < end; from += MAX_READ_SIZE_BYTES) {
          yield await reading.read(piece, from, Math.min(end, from + MAX_READ_SIZE_BYTES))
        }
        position = offset + end
      }
    } finally {
      await reading.close()
    }
  }

  /** The piece that has a byte. */
  #indexAt(position: number): number {
    let low = 0
    let high = this.#offsets.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#offsets[middle]! <= position) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }
}

/** Reads pieces one after the other. */
class PieceReading {
  #source: DownloadSource | undefined
  #bytes: RecordingBytes | undefined
  #blocks: BlockReader | undefined

  /** Bytes of a piece, from a place in it up to another. */
  async read(piece: VirtualPiece, from: number, to: number): Promise<Buffer> {
    if ('bytes' in piece) return piece.bytes.subarray(from, to)
    const { bytes, blocks } = await this.#open(piece.source)
    if ('offset' in piece) return blocks.read(piece.offset + from, to - from)
    const made = await piece.make(bytes)
    if (made.length !== piece.sizeBytes) throw new Error('a recording has changed while it was downloaded')
    return made.subarray(from, to)
  }

  async close(): Promise<void> {
    await this.#bytes?.close()
    this.#bytes = undefined
  }

  async #open(source: DownloadSource): Promise<{ bytes: RecordingBytes; blocks: BlockReader }> {
    if (this.#bytes === undefined || this.#blocks === undefined || this.#source !== source) {
      await this.close()
      this.#bytes = await source.open()
      this.#blocks = new BlockReader(this.#bytes)
      this.#source = source
    }
    return { bytes: this.#bytes, blocks: this.#blocks }
  }
}
