import { MalformedError } from 'sluice/sdk/media'
import { headEnd, MAX_HEAD_SIZE_BYTES, parseSipHead, type SipMessage } from './message.ts'

const LINE_END = Buffer.from('\r\n')

/** Cuts a byte stream into messages of SIP by `Content-Length` (RFC 3261 18.3); empty lines between them are skipped. */
export class SipStreamReader {
  #held: Buffer = Buffer.alloc(0)

  /**
   * Takes the next bytes over and returns the messages that they complete.
   * @throws {MalformedError} when the bytes are no messages of SIP; the stream is of no use afterwards.
   */
  push(bytes: Buffer): SipMessage[] {
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const messages: SipMessage[] = []
    for (;;) {
      while (rest.subarray(0, LINE_END.length).equals(LINE_END)) rest = rest.subarray(LINE_END.length)
      const end = headEnd(rest)
      if (end === undefined && rest.length > MAX_HEAD_SIZE_BYTES) throw new MalformedError('a header without an end')
      if (end === undefined) break
      const { message, bodySizeBytes } = parseSipHead(rest.subarray(0, end.textEnd))
      if (bodySizeBytes === undefined) throw new MalformedError('a message without a length in a stream')
      const size = end.bodyStart + bodySizeBytes
      if (rest.length < size) break
      messages.push({ ...message, body: Buffer.from(rest.subarray(end.bodyStart, size)) })
      rest = rest.subarray(size)
    }
    this.#held = rest
    return messages
  }
}
