import { MalformedError } from 'sluice/sdk/media'
import { GatheredBytes } from './gathered-bytes.ts'
import { bodySizeBytes, HeadBuilder, type Head } from './head.ts'
import { INTERLEAVED_HEADER_SIZE_BYTES, INTERLEAVED_MARK } from './interleaved.ts'
import { MAX_BODY_SIZE_BYTES, MAX_HEAD_SIZE_BYTES } from './limits.ts'
import type { InterleavedFrame, RtspRequest, RtspResponse } from './message.ts'

const NOTHING = Buffer.alloc(0)
const INITIAL_CAPACITY_BYTES = 2048
const LF = 0x0a
const CR = 0x0d
const NUL = 0
/** As text, of what is no start of a message. */
const SHOWN_BYTES = 8

/**
 * Reads the messages and interleaved frames of a connection (RFC 2326 4, 10.12), in whatever pieces the bytes arrive.
 * Push bytes, then read until `null`. Works the same for a server and for a client.
 *
 * Of HTTP, which tunnels RTSP, it reads the head only: what follows is to be taken with {@link takeRest}.
 */
export class RtspReader {
  /** The largest body, in bytes. */
  maxBodyBytes = MAX_BODY_SIZE_BYTES
  #bytes: Buffer = NOTHING
  #position = 0
  /** What has come of the four bytes before a frame. */
  readonly #frameHeader = Buffer.alloc(INTERLEAVED_HEADER_SIZE_BYTES)
  #frameHeaderBytes = 0
  /** The frame that came only in part, and its channel. */
  #frame: GatheredBytes | undefined
  #channel = 0
  /** The head being read, its size so far, and what has come of its last line. */
  #builder: HeadBuilder | undefined
  #headBytes = 0
  #line: GatheredBytes | undefined
  /** The head whose body came only in part. */
  #head: Head | undefined
  #body: GatheredBytes | undefined

  /**
   * Takes the next bytes. They are kept: payloads and bodies that lie within one push are views into them. What was
   * pushed before and not read yet is copied together with them.
   */
  push(bytes: Buffer): void {
    const unread = this.#bytes.length - this.#position
    this.#bytes = unread === 0 ? bytes : Buffer.concat([this.#bytes.subarray(this.#position), bytes])
    this.#position = 0
  }

  /**
   * The next message or frame, or `null` when more bytes are needed. It belongs to the caller.
   * @throws {MalformedError} when the bytes break the format or a limit; the connection is of no use after that.
   */
  read(): RtspRequest | RtspResponse | InterleavedFrame | null {
    const message = this.#readNext()
    // An idle connection must not keep the last bytes it read.
    if (message === null || this.#position === this.#bytes.length) {
      this.#bytes = NOTHING
      this.#position = 0
    }
    return message
  }

  /** Takes out what was pushed after the last message that was read: a view. */
  takeRest(): Buffer {
    const rest = this.#bytes.subarray(this.#position)
    this.#bytes = NOTHING
    this.#position = 0
    return rest
  }

  /** Whenever it gives back `null`, all that was pushed is taken over into one of the parts. */
  #readNext(): RtspRequest | RtspResponse | InterleavedFrame | null {
    if (this.#frame !== undefined) return this.#continueFrame(this.#frame)
    if (this.#body !== undefined) return this.#continueBody(this.#body)
    if (this.#builder === undefined) {
      if (this.#frameHeaderBytes > 0) return this.#beginFrame()
      this.#skipBlanks()
      if (this.#position === this.#bytes.length) return null
      if (this.#bytes[this.#position] === INTERLEAVED_MARK) return this.#beginFrame()
      this.#beginHead()
    }
    return this.#readHead()
  }

  /** Peers end messages with more than they should: a line end after a body, a NUL of a C string. */
  #skipBlanks(): void {
    const bytes = this.#bytes
    for (; this.#position < bytes.length; this.#position += 1) {
      const byte = bytes[this.#position]
      if (byte !== CR && byte !== LF && byte !== NUL) return
    }
  }

  #beginFrame(): InterleavedFrame | null {
    const bytes = this.#bytes
    if (this.#frameHeaderBytes === 0 && bytes.length - this.#position >= INTERLEAVED_HEADER_SIZE_BYTES) {
      this.#channel = bytes[this.#position + 1]!
      const sizeBytes = bytes.readUInt16BE(this.#position + 2)
      this.#position += INTERLEAVED_HEADER_SIZE_BYTES
      return this.#beginPayload(sizeBytes)
    }
    const missing = INTERLEAVED_HEADER_SIZE_BYTES - this.#frameHeaderBytes
    const copied = bytes.copy(this.#frameHeader, this.#frameHeaderBytes, this.#position, this.#position + missing)
    this.#position += copied
    this.#frameHeaderBytes += copied
    if (copied < missing) return null
    this.#frameHeaderBytes = 0
    this.#channel = this.#frameHeader[1]!
    return this.#beginPayload(this.#frameHeader.readUInt16BE(2))
  }

  #beginPayload(sizeBytes: number): InterleavedFrame | null {
    const end = this.#position + sizeBytes
    if (end > this.#bytes.length) {
      this.#frame = new GatheredBytes(sizeBytes, sizeBytes)
      return this.#continueFrame(this.#frame)
    }
    const payload = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return { kind: 'interleaved', channel: this.#channel, payload }
  }

  #continueFrame(frame: GatheredBytes): InterleavedFrame | null {
    if (!this.#fill(frame)) return null
    this.#frame = undefined
    return { kind: 'interleaved', channel: this.#channel, payload: frame.bytes }
  }

  #beginHead(): void {
    const first = this.#bytes[this.#position]!
    const isLetter = (first >= 0x41 && first <= 0x5a) || (first >= 0x61 && first <= 0x7a)
    if (!isLetter) {
      const found = this.#bytes.toString('hex', this.#position, this.#position + SHOWN_BYTES)
      throw new MalformedError(`bytes ${found} where an RTSP message should start`)
    }
    this.#builder = new HeadBuilder()
    this.#headBytes = 0
  }

  #readHead(): RtspRequest | RtspResponse | null {
    const builder = this.#builder!
    for (let line = this.#readLine(); line !== null; line = this.#readLine()) {
      if (line !== '') builder.add(line)
      else return this.#beginBody(builder.finish())
    }
    return null
  }

  /** A line without its end, CRLF or LF; `null` when its end has not come yet. */
  #readLine(): string | null {
    const start = this.#position
    const lineEnd = this.#bytes.indexOf(LF, start)
    const end = lineEnd < 0 ? this.#bytes.length : lineEnd + 1
    this.#headBytes += end - start
    if (this.#headBytes > MAX_HEAD_SIZE_BYTES) throw new MalformedError(`RTSP head above ${MAX_HEAD_SIZE_BYTES} bytes`)
    this.#position = end
    if (lineEnd >= 0 && this.#line === undefined) return withoutCr(this.#bytes.toString('utf8', start, lineEnd))
    this.#line ??= new GatheredBytes(MAX_HEAD_SIZE_BYTES, INITIAL_CAPACITY_BYTES)
    this.#line.append(this.#bytes, start, lineEnd < 0 ? end : lineEnd)
    if (lineEnd < 0) return null
    const line = this.#line.bytes.toString('utf8')
    this.#line = undefined
    return withoutCr(line)
  }

  #beginBody(head: Head): RtspRequest | RtspResponse | null {
    this.#builder = undefined
    const sizeBytes = head.protocol === 'HTTP' ? 0 : bodySizeBytes(head, this.maxBodyBytes)
    const end = this.#position + sizeBytes
    if (end > this.#bytes.length) {
      this.#head = head
      this.#body = new GatheredBytes(sizeBytes, INITIAL_CAPACITY_BYTES)
      return this.#continueBody(this.#body)
    }
    const body = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return { ...head, body }
  }

  #continueBody(body: GatheredBytes): RtspRequest | RtspResponse | null {
    if (!this.#fill(body)) return null
    const head = this.#head!
    this.#head = undefined
    this.#body = undefined
    return { ...head, body: body.bytes }
  }

  /** Moves what is there of a part into it; whether it is whole now. */
  #fill(part: GatheredBytes): boolean {
    const end = Math.min(this.#position + part.missingBytes, this.#bytes.length)
    part.append(this.#bytes, this.#position, end)
    this.#position = end
    return part.missingBytes === 0
  }
}

function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
