import { Readable } from 'node:stream'

/** The size of the pieces of bytes in memory. */
const PIECE_SIZE_BYTES = 256 * 1024

/**
 * Pieces as the body of an answer, each made when the client has taken the one before.
 * @param stallMs the time after which a client that reads nothing is disconnected; 0 for never
 */
export function extractBody(pieces: AsyncIterable<Buffer> | Iterable<Buffer>, stallMs: number): Readable {
  const body: Readable = Readable.from(watched(), { highWaterMark: 1 })
  const cutOff = () => body.destroy(new Error('the client takes nothing'))
  async function* watched(): AsyncGenerator<Buffer, void> {
    for await (const piece of pieces) {
      const timer = stallMs > 0 ? setTimeout(cutOff, stallMs) : undefined
      try {
        yield piece
      } finally {
        clearTimeout(timer)
      }
    }
  }
  return body
}

export function* piecesOf(bytes: Buffer): Generator<Buffer, void> {
  for (let offset = 0; offset < bytes.length; offset += PIECE_SIZE_BYTES) {
    yield bytes.subarray(offset, offset + PIECE_SIZE_BYTES)
  }
}
