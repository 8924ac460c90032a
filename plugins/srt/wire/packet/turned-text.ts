const WORD_BYTES = 4

/**
 * Parses the text of a handshake extension (stream id, congestion control, packet filter), in which the bytes of each word are reversed and
 * the last word is filled up with zeros (draft-sharabayko-srt-01 section 3.2.1.3).
 */
export function parseTurnedText(content: Buffer): string {
  const bytes = Buffer.from(content.subarray(0, content.length - (content.length % WORD_BYTES))).swap32()
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

export function serializeTurnedText(text: string): Buffer {
  const bytes = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / WORD_BYTES) * WORD_BYTES)
  bytes.write(text)
  return bytes.swap32()
}
