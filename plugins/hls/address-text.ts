/** What would end an address, its quotes or its line, begin a fragment, or refer to a variable (RFC 8216bis 4.3). */
const UNSAFE = /[^\u0021\u0024-\u007e]|\{(?=\$)/gu
const MAX_BYTE = 0xff

/** What a client sent in its request line, as a playlist can repeat it: byte for byte, but for what would break its text. */
export function addressText(sent: string): string {
  return sent.replace(UNSAFE, percentEncoded)
}

// Bytes of a request line come as characters of Latin 1.
function percentEncoded(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const bytes = code > MAX_BYTE ? Buffer.from(char) : Buffer.of(code)
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
