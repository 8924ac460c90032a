/** Most bytes of a line or header that is waited for. */
const MAX_HEADER_BYTES = 16 * 1024

/** Takes the framing off a body as its bytes come in, and gives what is left of them. */
export interface BodyFraming {
  push(bytes: Buffer): Buffer[]
}

/** A body that simply follows its header. */
export class PlainBody implements BodyFraming {
  push(bytes: Buffer): Buffer[] {
    return [bytes]
  }
}

/** Pieces of announced sizes, one after the other; what comes before each of them is up to the framing. */
abstract class SizedPieces implements BodyFraming {
  #unread: Buffer = Buffer.alloc(0)
  #pieceBytesLeft = 0

  push(bytes: Buffer): Buffer[] {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
    const pieces: Buffer[] = []
    for (;;) {
      if (this.#pieceBytesLeft === 0) {
        const next = this.readHeader(this.#unread)
        if (next === null) break
        this.#unread = this.#unread.subarray(next.headerBytes)
        this.#pieceBytesLeft = next.pieceBytes
        continue
      }
      if (this.#unread.length === 0) break
      const piece = this.#unread.subarray(0, this.#pieceBytesLeft)
      pieces.push(piece)
      this.#pieceBytesLeft -= piece.length
      this.#unread = this.#unread.subarray(piece.length)
    }
    if (this.#unread.length > MAX_HEADER_BYTES) throw new Error('a header without end')
    return pieces
  }

  /** How much there is before the next piece and how large that is, or `null` when it is not all there. */
  protected abstract readHeader(bytes: Buffer): { headerBytes: number; pieceBytes: number } | null
}

/** `Transfer-Encoding: chunked` (RFC 9112 7.1). */
export class ChunkedBody extends SizedPieces {
  #first = true

  protected override readHeader(bytes: Buffer): { headerBytes: number; pieceBytes: number } | null {
    // The line end of the chunk before belongs to this header.
    const start = this.#first ? 0 : 2
    const end = bytes.indexOf('\r\n', start)
    if (end < 0) return null
    this.#first = false
    const sizeBytes = Number.parseInt(bytes.toString('latin1', start, end), 16)
    if (!(sizeBytes > 0)) throw new Error('the body has ended')
    return { headerBytes: end + 2, pieceBytes: sizeBytes }
  }
}

/** The payloads of a server's WebSocket messages, which are not masked (RFC 6455 5.2). */
export class WebSocketBody extends SizedPieces {
  protected override readHeader(bytes: Buffer): { headerBytes: number; pieceBytes: number } | null {
    const length = (bytes[1] ?? 0) & 0x7f
    const headerBytes = length === 127 ? 10 : length === 126 ? 4 : 2
    if (bytes.length < headerBytes) return null
    if (headerBytes === 2) return { headerBytes, pieceBytes: length }
    if (headerBytes === 4) return { headerBytes, pieceBytes: bytes.readUInt16BE(2) }
    return { headerBytes, pieceBytes: Number(bytes.readBigUInt64BE(2)) }
  }
}
