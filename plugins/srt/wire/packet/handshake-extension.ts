import { MalformedError } from 'sluice/sdk/media'

/** Types of handshake extensions (draft-sharabayko-srt-01 section 3.2.1, table 5; 7 and 8 as libsrt has them). */
export const EXTENSION_TYPE = {
  termsRequest: 1,
  termsResponse: 2,
  keyRequest: 3,
  keyResponse: 4,
  streamId: 5,
  congestion: 6,
  filter: 7,
  group: 8,
} as const

/** A handshake has one of each type at most: HSREQ, KMREQ, SID, CONGESTION, FILTER and GROUP are all that a caller sends. */
export const MAX_EXTENSIONS = 8

/** The longest content is a stream id of 512 bytes (draft-sharabayko-srt-01 section 3.2.1.3). */
const MAX_EXTENSION_BYTES = 512

/** Longest key material message: 16 bytes of header, 16 of salt, two keys of 32 bytes and the 8 of their wrap. */
export const MAX_KEY_MESSAGE_BYTES = 104

const HEAD_BYTES = 4
const WORD_BYTES = 4

/** One extension. The content consists of whole words; a parsed one is a view of the datagram. */
export type HandshakeExtension = { type: number; content: Buffer }

/** @throws {MalformedError} when an extension does not fit the bytes or exceeds its limit, or there are too many */
export function parseExtensions(bytes: Buffer): HandshakeExtension[] {
  const extensions: HandshakeExtension[] = []
  for (let at = 0; at + HEAD_BYTES <= bytes.length;) {
    if (extensions.length === MAX_EXTENSIONS) throw new MalformedError(`more than ${MAX_EXTENSIONS} SRT extensions`)
    const type = bytes.readUInt16BE(at)
    const sizeBytes = WORD_BYTES * bytes.readUInt16BE(at + 2)
    const end = at + HEAD_BYTES + sizeBytes
    if (sizeBytes > longest(type) || end > bytes.length) {
      throw new MalformedError(`SRT extension ${type} at byte ${at} has ${sizeBytes} bytes`)
    }
    extensions.push({ type, content: bytes.subarray(at + HEAD_BYTES, end) })
    at = end
  }
  return extensions
}

/** Contents are filled up with zeros to whole words. */
export function serializeExtensions(extensions: readonly HandshakeExtension[]): Buffer {
  return Buffer.concat(
    extensions.flatMap(({ type, content }) => {
      const wordCount = Math.ceil(content.length / WORD_BYTES)
      const head = Buffer.allocUnsafe(HEAD_BYTES)
      head.writeUInt16BE(type, 0)
      head.writeUInt16BE(wordCount, 2)
      return [head, content, Buffer.alloc(wordCount * WORD_BYTES - content.length)]
    }),
  )
}

function longest(type: number): number {
  const isKeyMessage = type === EXTENSION_TYPE.keyRequest || type === EXTENSION_TYPE.keyResponse
  return isKeyMessage ? MAX_KEY_MESSAGE_BYTES : MAX_EXTENSION_BYTES
}
