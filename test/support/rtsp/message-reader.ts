/** A request or an answer of RTSP, as it came. */
export type RtspMessage = {
  /** Without its line end. */
  readonly startLine: string
  /** By names in lower case; of headers that came twice, the last. */
  readonly headers: ReadonlyMap<string, string>
  /** Start line and headers as they came, with the empty line. */
  readonly head: string
  readonly body: Buffer
}

/** A packet in the connection (RFC 2326 10.12). */
export type InterleavedFrame = { readonly channel: number; readonly data: Buffer }

export type RtspPart = RtspMessage | InterleavedFrame

const DOLLAR = 0x24
const FRAME_HEAD_BYTES = 4
const HEAD_END = '\r\n\r\n'

/** Cuts what comes over an RTSP connection into messages and interleaved packets; it trusts who sends. */
export class RtspMessageReader {
  #bytes: Buffer = Buffer.alloc(0)

  /** What has come, and is not a whole part yet. */
  get rest(): Buffer {
    return this.#bytes
  }

  push(bytes: Buffer): RtspPart[] {
    this.#bytes = Buffer.concat([this.#bytes, bytes])
    const parts: RtspPart[] = []
    for (let part = this.#next(); part !== undefined; part = this.#next()) parts.push(part)
    return parts
  }

  #next(): RtspPart | undefined {
    return this.#bytes[0] === DOLLAR ? this.#frame() : this.#message()
  }

  #frame(): InterleavedFrame | undefined {
    if (this.#bytes.length < FRAME_HEAD_BYTES) return undefined
    const end = FRAME_HEAD_BYTES + this.#bytes.readUInt16BE(2)
    if (this.#bytes.length < end) return undefined
    const channel = this.#bytes.readUInt8(1)
    return { channel, data: this.#take(end).subarray(FRAME_HEAD_BYTES) }
  }

  #message(): RtspMessage | undefined {
    const found = this.#bytes.indexOf(HEAD_END)
    if (found === -1) return undefined
    const headBytes = found + HEAD_END.length
    const head = this.#bytes.toString('latin1', 0, headBytes)
    const [startLine = '', ...lines] = head.slice(0, -HEAD_END.length).split('\r\n')
    const headers = new Map(lines.map((line) => splitHeader(line)))
    const end = headBytes + Number(headers.get('content-length') ?? 0)
    if (this.#bytes.length < end) return undefined
    return { startLine, headers, head, body: this.#take(end).subarray(headBytes) }
  }

  #take(end: number): Buffer {
    const taken = this.#bytes.subarray(0, end)
    this.#bytes = this.#bytes.subarray(end)
    return taken
  }
}

/** The bytes of an interleaved packet. */
export function serializeFrame({ channel, data }: InterleavedFrame): Buffer {
  const head = Buffer.of(DOLLAR, channel, 0, 0)
  head.writeUInt16BE(data.length, 2)
  return Buffer.concat([head, data])
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
