import { MalformedError } from 'sluice/sdk/media'
import { headSizeOf, MAX_HEAD_BYTES, parseSipHead, type SipMessage } from './message.ts'

const NOTHING: Buffer = Buffer.alloc(0)
const CR = 0x0d
const LF = 0x0a

/** Cuts a byte stream into SIP messages, however its bytes come in (RFC 3261 18.3). Empty lines between them keep it open. */
export class SipStreamReader {
  #held: Buffer = NOTHING
  /** The size of the message that has come in part; undefined until its headers have come. */
  #wanted: { readonly message: SipMessage; readonly headBytes: number; readonly sizeBytes: number } | undefined

  /** The bytes of a message that has come in part. */
  get heldBytes(): Buffer {
    return this.#held
  }

  /**
   * Takes the next bytes over, and returns the messages that are complete with them.
   * @throws {MalformedError} when they are no messages: nothing more can be read of the stream
   */
  push(bytes: Buffer): SipMessage[] {
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const messages: SipMessage[] = []
    for (;;) {
      if (this.#wanted === undefined) rest = withoutEmptyLines(rest)
      const wanted = (this.#wanted ??= this.#begin(rest))
      if (wanted === undefined || rest.length < wanted.sizeBytes) break
      messages.push({ ...wanted.message, body: rest.subarray(wanted.headBytes, wanted.sizeBytes) })
      rest = rest.subarray(wanted.sizeBytes)
      this.#wanted = undefined
    }
    this.#held = rest.length === 0 ? NOTHING : Buffer.from(rest)
    return messages
  }

  #begin(bytes: Buffer) {
    const headBytes = headSizeOf(bytes.subarray(0, MAX_HEAD_BYTES))
    if (headBytes === undefined) {
      if (bytes.length >= MAX_HEAD_BYTES) throw new MalformedError(`SIP headers of more than ${MAX_HEAD_BYTES} bytes`)
      return undefined
    }
    const { message, bodyBytes = 0 } = parseSipHead(bytes.subarray(0, headBytes))
    return { message, headBytes, sizeBytes: headBytes + bodyBytes }
  }
}

function withoutEmptyLines(bytes: Buffer): Buffer {
  let at = 0
  while (bytes[at] === CR || bytes[at] === LF) at += 1
  return bytes.subarray(at)
}
