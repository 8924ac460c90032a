/** Most bytes of a response's header that are waited for. */
const MAX_HEADER_BYTES = 16 * 1024
const HEADER_END = '\r\n\r\n'
const EMPTY = Buffer.alloc(0)

export type Response = {
  readonly status: number
  readonly bodyBytes: number
  /** To be read or copied at once; empty where bodies are only counted. */
  readonly body: Buffer
}

/** Reads the responses on a connection, one after the other, each with a Content-Length (RFC 9112 6.3). */
export class ResponseReader {
  readonly #done: (response: Response) => void
  /** Of the next response, not all there. */
  #header: Buffer = EMPTY
  #status = 0
  #bodyBytes = 0
  #leftBytes = -1
  /** What came of the body in earlier pieces, where it is kept. */
  #body: Buffer | undefined
  /** Whether the bodies are wanted, from the next on. */
  keepsBody = true

  /** @param done told of each response when all of it is there */
  constructor(done: (response: Response) => void) {
    this.#done = done
  }

  /** @throws {Error} for what is no such response */
  push(view: Buffer): void {
    let rest = view
    while (rest.length > 0) {
      const next = this.#leftBytes < 0 ? this.#readHeader(rest) : rest
      if (next === undefined) return
      rest = this.#readBody(next)
    }
  }

  #readHeader(view: Buffer): Buffer | undefined {
    const bytes = this.#header.length === 0 ? view : Buffer.concat([this.#header, view])
    const end = bytes.indexOf(HEADER_END)
    if (end < 0) {
      if (bytes.length > MAX_HEADER_BYTES) throw new Error('a response header without end')
      this.#header = Buffer.from(bytes)
      return undefined
    }
    this.#header = EMPTY
    const text = bytes.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/iu.exec(text)?.[1]
    if (!text.startsWith('HTTP/1.1 ') || length === undefined) throw new Error(`no response with a length: ${text}`)
    this.#status = Number(text.slice(9, 12))
    this.#bodyBytes = Number(length)
    this.#leftBytes = this.#bodyBytes
    this.#body = undefined
    return bytes.subarray(end + HEADER_END.length)
  }

  /** Gives what lies behind the body. */
  #readBody(view: Buffer): Buffer {
    const piece = view.subarray(0, this.#leftBytes)
    const isWhole = piece.length === this.#bodyBytes
    if (this.keepsBody && !isWhole) {
      this.#body ??= Buffer.allocUnsafe(this.#bodyBytes)
      piece.copy(this.#body, this.#bodyBytes - this.#leftBytes)
    }
    this.#leftBytes -= piece.length
    if (this.#leftBytes === 0) {
      this.#leftBytes = -1
      const body = isWhole ? piece : (this.#body ?? EMPTY)
      this.#body = undefined
      this.#done({ status: this.#status, bodyBytes: this.#bodyBytes, body: this.keepsBody ? body : EMPTY })
    }
    return view.subarray(piece.length)
  }
}
