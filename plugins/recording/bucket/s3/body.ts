import { createHash } from 'node:crypto'
import type { RecordingBytes } from 'sluice/sdk'
import { StorageError } from '../storage-error.ts'

/** The size of the piece of a file that each request holds in memory. */
const PIECE_BYTES = 256 * 1024

/** The body of a request; it can be read several times, as a request is tried again. */
export type RequestBody = {
  readonly sizeBytes: number
  pieces(): AsyncIterable<Buffer>
}

/** Returns a body of bytes in memory. */
export function bufferBody(bytes: Buffer): RequestBody {
  return {
    sizeBytes: bytes.length,
    async *pieces() {
      if (bytes.length > 0) yield bytes
    },
  }
}

/** Returns a body of a part of a file, which is read piece by piece. */
export function fileBody(file: RecordingBytes, offset: number, sizeBytes: number): RequestBody {
  return { sizeBytes, pieces: () => piecesOf(file, offset, offset + sizeBytes) }
}

/** Returns the SHA-256 of a body in hexadecimal digits. */
export async function hashOf(body: RequestBody): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of body.pieces()) hash.update(piece)
  return hash.digest('hex')
}

async function* piecesOf(file: RecordingBytes, offset: number, end: number): AsyncGenerator<Buffer> {
  for (let at = offset; at < end;) {
    const piece = await file.read(at, Math.min(PIECE_BYTES, end - at)).catch((cause: Error) => {
      throw new StorageError(cause.message, { passes: false, cause })
    })
    if (piece.length === 0) throw new StorageError('the file became shorter while it was read', { passes: false })
    at += piece.length
    yield piece
  }
}
