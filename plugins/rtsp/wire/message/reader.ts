import { MalformedError } from 'sluice/sdk/media'
import { findStart, RESPONSE_START } from './find-start.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import { bodySizeBytes, HeadBuilder, type Head } from './head.ts'
import { INTERLEAVED_HEADER_SIZE_BYTES, INTERLEAVED_MARK, isRtpLike, type IsChannel } from './interleaved.ts'
import { MAX_BODY_SIZE_BYTES, MAX_HEAD_SIZE_BYTES, MAX_STRAY_BYTES } from './limits.ts'
import { beginsWithLf, endsWithCr, findControl, findLineEnd, lineEndSize } from './line-end.ts'
import type { InterleavedFrame, RtspRequest, RtspResponse } from './message.ts'
import { parseStartLine } from './start-line.ts'

const NOTHING = Buffer.alloc(0)
const INITIAL_CAPACITY_BYTES = 2048
const BLANKS = [0x00, 0x09, 0x0a, 0x0d, 0x20]
/** The most bytes of a malformed start of a message that an error shows. */
const SHOWN_BYTES = 8
/** The most bytes of a frame's header that can look like the end of a line of text: the frame begins at most this much before. */
const FRAME_LOOK_BACK_BYTES = 3

type Message = RtspRequest | RtspResponse | InterleavedFrame

/** `null`: more bytes are needed. `lost`: the bytes read were not a message; the reader has set the position to read on from. */
type Part = Message | null | 'lost'

/**
 * Reads the messages and interleaved frames of a connection (RFC 2326 4, 10.12), in whatever pieces the bytes arrive.
 * Push bytes, then read until `null`. Works the same for a server and for a client.
 *
 * Stray bytes between two messages are skipped, 64 KB at most, as cameras send them that lose the
 * header of a frame or the end of one. A connection that begins with such bytes is not RTSP.
 *
 * It reads only the head of HTTP, which tunnels RTSP: the bytes after it are to be taken with {@link takeRest}.
 */
export class RtspReader {
  /** The largest body, in bytes. */
  maxBodyBytes = MAX_BODY_SIZE_BYTES
  readonly #isChannel: IsChannel
  #bytes: Buffer = NOTHING
  #position = 0
  /** True when the last line ended in a CR at the end of the bytes; its LF may still come. */
  #isLfExpected = false
  /** The frame that came only in part, and its channel. */
  #frame: GatheredBytes | undefined
  #channel = 0
  /** True while a head is being read; its lines after the first are with the builder. */
  #isInHead = false
  #builder: HeadBuilder | undefined
  /** The size of the head's whole lines, and the bytes of the next line. */
  #headBytes = 0
  #line: GatheredBytes | undefined
  /** The head of a message that lacks a part of its body. */
  #head: Head | undefined
  #body: GatheredBytes | undefined
  /** True after the first message. */
  #hasBegun = false
  /** True while stray bytes are skipped, until a message or frame begins. */
  #isLost = false
  /** The stray bytes since the last message. */
  #strayBytes = 0
  #allStrayBytes = 0

  /** @param isChannel returns true for channels on which media may come; on the others, a frame has to look like RTP */
  constructor(isChannel: IsChannel = () => true) {
    this.#isChannel = isChannel
  }

  /** The number of all stray bytes so far. */
  get strayBytes(): number {
    return this.#allStrayBytes
  }

  /**
   * Takes the next bytes. They are kept: payloads and bodies that lie within one push are views into them. Bytes that were pushed before
   * and are not read yet are copied together with them.
   */
  push(bytes: Buffer): void {
    const next = this.#isLfExpected && beginsWithLf(bytes) ? bytes.subarray(1) : bytes
    this.#isLfExpected &&= bytes.length === 0
    const unread = this.#bytes.length - this.#position
    this.#bytes = unread === 0 ? next : Buffer.concat([this.#bytes.subarray(this.#position), next])
    this.#position = 0
  }

  /**
   * The next message or frame, or `null` when more bytes are needed. It belongs to the caller.
   * @throws {MalformedError} when the bytes are not RTSP or break a limit; the connection is of no use after that.
   */
  read(): Message | null {
    let part = this.#readPart()
    while (part === 'lost') part = this.#readPart()
    if (part !== null) {
      this.#hasBegun = true
      this.#strayBytes = 0
    }
    // An idle connection must not keep the last bytes it read.
    if (this.#position === this.#bytes.length) this.takeRest()
    else if (part === null) this.#bytes = Buffer.from(this.takeRest())
    return part
  }

  /** Takes out the bytes pushed after the last message that was read, as a view. */
  takeRest(): Buffer {
    const rest = this.#bytes.subarray(this.#position)
    this.#bytes = NOTHING
    this.#position = 0
    return rest
  }

  /** Reads a message, frame or part of one. When it needs more bytes, it leaves only a few of those pushed. */
  #readPart(): Part {
    if (this.#frame !== undefined) return this.#continueFrame(this.#frame)
    if (this.#body !== undefined) return this.#continueBody(this.#body)
    if (this.#isInHead) return this.#readHead()
    if (this.#isLost) {
      if (!this.#findNext()) return null
    } else {
      this.#skipBlanks()
    }
    if (this.#position === this.#bytes.length) return null
    if (this.#bytes[this.#position] === INTERLEAVED_MARK) return this.#beginFrame()
    return this.#beginHead()
  }

  /** Skips stray bytes up to a possible start of a message or frame; returns false when more bytes are needed to be sure of it. */
  #findNext(): boolean {
    const { at, isWhole } = findStart(this.#bytes, this.#position, this.#isChannel)
    this.#stray(at - this.#position)
    this.#position = at
    this.#isLost = !isWhole
    return isWhole
  }

  /** Counts stray bytes. @throws {MalformedError} when they are too many */
  #stray(count: number): void {
    this.#strayBytes += count
    this.#allStrayBytes += count
    if (this.#strayBytes > MAX_STRAY_BYTES) {
      throw new MalformedError(`more than ${MAX_STRAY_BYTES} bytes that belong to no RTSP message`)
    }
  }

  /** Begins to skip stray bytes. @throws {MalformedError} the error given, when no message has come before */
  #lose(error: MalformedError): 'lost' {
    if (!this.#hasBegun) throw error
    this.#isLost = true
    return 'lost'
  }

  /** Peers end messages with more than they should: a line end after a body, a NUL of a C string. */
  #skipBlanks(): void {
    const bytes = this.#bytes
    while (this.#position < bytes.length && BLANKS.includes(bytes[this.#position]!)) this.#position += 1
  }

  #beginFrame(): Part {
    const bytes = this.#bytes
    const start = this.#position
    const payloadStart = start + INTERLEAVED_HEADER_SIZE_BYTES
    if (bytes.length < payloadStart) return null
    const channel = bytes[start + 1]!
    const sizeBytes = bytes.readUInt16BE(start + 2)
    if (sizeBytes > 0 && !this.#isChannel(channel)) {
      if (bytes.length === payloadStart) return null
      if (!isRtpLike(bytes[payloadStart]!)) return this.#lose(new MalformedError(`a frame on channel ${channel}`))
    }
    this.#channel = channel
    this.#position = payloadStart
    return this.#beginPayload(sizeBytes)
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

  #beginHead(): Part {
    const first = this.#bytes[this.#position]!
    const isLetter = (first >= 0x41 && first <= 0x5a) || (first >= 0x61 && first <= 0x7a)
    if (!isLetter) {
      const found = this.#bytes.toString('hex', this.#position, this.#position + SHOWN_BYTES)
      return this.#lose(new MalformedError(`bytes ${found} where an RTSP message should start`))
    }
    this.#isInHead = true
    this.#headBytes = 0
    return this.#readHead()
  }

  #readHead(): Part {
    for (let line = this.#readLine(); line !== null; line = this.#readLine()) {
      const text = line.toString('utf8')
      if (this.#builder === undefined) {
        const error = this.#beginBuilder(text)
        if (error !== undefined) return this.#loseHead(line, 1, error)
      } else if (text !== '' && !this.#builder.add(text)) {
        return this.#loseHead(line, 0, new MalformedError('the head of an RTSP message ends in something else'))
      }
      this.#endLine(line)
      if (text === '') return this.#endHead()
    }
    return null
  }

  /** Takes the first line. Returns an error when it is malformed, or does not end in a line end. */
  #beginBuilder(text: string): MalformedError | undefined {
    try {
      const startLine = parseStartLine(text)
      if (lineEndSize(this.#bytes, this.#position) === 0) {
        return new MalformedError('control character in the first line of an RTSP message')
      }
      this.#builder = new HeadBuilder(startLine)
      return undefined
    } catch (error) {
      if (error instanceof MalformedError) return error
      throw error
    }
  }

  /**
   * A line without its end, which is read next; `null` when that has not come yet. The first line of a head ends at any control character:
   * binary data is distinguished from text as soon as possible.
   */
  #readLine(): Buffer | null {
    const start = this.#position
    const bytes = this.#bytes
    const end = this.#builder === undefined ? findControl(bytes, start) : findLineEnd(bytes, start)
    const lineBytes = (this.#line?.bytes.length ?? 0) + end - start
    if (this.#headBytes + lineBytes >= MAX_HEAD_SIZE_BYTES) {
      throw new MalformedError(`RTSP head above ${MAX_HEAD_SIZE_BYTES} bytes`)
    }
    this.#position = end
    if (end < bytes.length && this.#line === undefined) return bytes.subarray(start, end)
    this.#line ??= new GatheredBytes(MAX_HEAD_SIZE_BYTES, INITIAL_CAPACITY_BYTES)
    this.#line.append(bytes, start, end)
    return end < bytes.length ? this.#line.bytes : null
  }

  #endLine(line: Buffer): void {
    const size = lineEndSize(this.#bytes, this.#position)
    this.#position += size
    this.#isLfExpected = this.#position === this.#bytes.length && endsWithCr(this.#bytes)
    this.#headBytes += line.length + size
    this.#line = undefined
  }

  /**
   * Gives a head up, and reads on within its last line: from a response in it, or from shortly before the first control
   * character, which may be in the header of a frame.
   * @param from where in the line that may be
   */
  #loseHead(line: Buffer, from: number, error: MalformedError): 'lost' {
    const response = line.lastIndexOf(RESPONSE_START)
    const frame = Math.max(from, findControl(line, 0) - FRAME_LOOK_BACK_BYTES)
    const place = response >= from ? Math.min(response, frame) : frame
    const rest = line.subarray(place)
    if (this.#line === undefined) {
      this.#position -= rest.length
    } else {
      this.#bytes = Buffer.concat([rest, this.#bytes.subarray(this.#position)])
      this.#position = 0
    }
    const strayBytes = this.#headBytes + place
    this.#isInHead = false
    this.#builder = undefined
    this.#line = undefined
    const lost = this.#lose(error)
    this.#stray(strayBytes)
    return lost
  }

  #endHead(): RtspRequest | RtspResponse | null {
    const head = this.#builder!.finish()
    this.#isInHead = false
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

  /** Moves the bytes available into a part; returns true when the part is whole. */
  #fill(part: GatheredBytes): boolean {
    const end = Math.min(this.#position + part.missingBytes, this.#bytes.length)
    part.append(this.#bytes, this.#position, end)
    this.#position = end
    return part.missingBytes === 0
  }
}
