import type { RecordingBytes } from 'sluice/sdk'
import type { ByteRange, RangedContent } from 'sluice/sdk/http'
import type { DownloadSource } from './download-source.ts'

/** The most bytes of one read. */
const MAX_READ_SIZE_BYTES = 256 * 1024

/** The approximate memory of a piece, in addition to its bytes. */
const PIECE_WEIGHT_BYTES = 200

/** A piece of a file that does not exist as a whole. */
export type VirtualPiece = { readonly sizeBytes: number } & (
  | { readonly bytes: Buffer }
  /** Bytes of a source. */
  | { readonly source: DownloadSource; readonly offset: number }
  /** Bytes that are generated from a source, which takes less memory than keeping them. */
  | { readonly source: DownloadSource; make(bytes: RecordingBytes): Promise<Buffer> }
)

/** A file that is assembled from pieces while it is read. Each reading has one source open at a time. */
export class VirtualFile implements RangedContent {
  readonly type: string
  readonly etag: string | undefined
  readonly sizeBytes: number
  /** The approximate memory that it takes. */
  readonly weightBytes: number
  readonly #pieces: readonly VirtualPiece[]
  /** The offset of each piece. */
  readonly #offsets: Float64Array

  constructor(pieces: readonly VirtualPiece[], { type, etag }: Pick<RangedContent, 'type' | 'etag'>) {
    this.type = type
    this.etag = etag
    this.#pieces = pieces
    this.#offsets = new Float64Array(pieces.length)
    let sizeBytes = 0
    let weightBytes = pieces.length * PIECE_WEIGHT_BYTES
    for (const [index, piece] of pieces.entries()) {
      this.#offsets[index] = sizeBytes
      sizeBytes += piece.sizeBytes
      if ('bytes' in piece) weightBytes += piece.bytes.length
    }
    this.sizeBytes = sizeBytes
    this.weightBytes = weightBytes
  }

  /**
   * Reads the next part while its reader has the one before.
   * @throws {Error} when a source can't be read any more, or has become shorter
   */
  async *read(range: ByteRange): AsyncGenerator<Buffer, void> {
    const reading = new PieceReading()
    let ahead: Promise<Buffer> | undefined
    try {
      for (const part of this.#parts(range)) {
        const bytes = await ahead
        ahead = reading.read(part)
        // An error is thrown when the part is awaited.
        ahead.catch(() => {})
        if (bytes !== undefined) yield bytes
      }
      if (ahead !== undefined) yield await ahead
    } finally {
      await ahead?.catch(() => {})
      await reading.close()
    }
  }

  /** The parts of a range that are read at once, in order. */
  *#parts({ first, last }: ByteRange): Generator<PiecePart, void> {
    let position = first
    for (let index = this.#indexAt(first); position <= last && index < this.#pieces.length; index++) {
      const offset = this.#offsets[index]!
      const piece = this.#pieces[index]!
      const end = Math.min(piece.sizeBytes, last + 1 - offset)
      for (let from = position - offset; from < end; from += MAX_READ_SIZE_BYTES) {
        yield { piece, from, to: Math.min(end, from + MAX_READ_SIZE_BYTES) }
      }
      position = offset + end
    }
  }

  /** The index of the piece that contains a byte. */
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

/** The bytes of a piece from `from` up to `to`, exclusive. */
type PiecePart = { readonly piece: VirtualPiece; readonly from: number; readonly to: number }

/** Reads pieces one after the other: one call at a time. */
class PieceReading {
  #source: DownloadSource | undefined
  #bytes: RecordingBytes | undefined

  async read({ piece, from, to }: PiecePart): Promise<Buffer> {
    if ('bytes' in piece) return piece.bytes.subarray(from, to)
    const bytes = await this.#open(piece.source)
    if ('offset' in piece) {
      const read = await bytes.read(piece.offset + from, to - from)
      if (read.length < to - from) throw new Error('a recording became shorter while it was downloaded')
      return read
    }
    const made = await piece.make(bytes)
    if (made.length !== piece.sizeBytes) throw new Error('a recording has changed while it was downloaded')
    return made.subarray(from, to)
  }

  async close(): Promise<void> {
    await this.#bytes?.close()
    this.#bytes = undefined
  }

  async #open(source: DownloadSource): Promise<RecordingBytes> {
    if (this.#bytes !== undefined && this.#source === source) return this.#bytes
    await this.close()
    this.#bytes = await source.open()
    this.#source = source
    return this.#bytes
  }
}
