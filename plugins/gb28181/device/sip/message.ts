import { MalformedError } from 'sluice/sdk/media'

/** The most header fields of a message that is read. */
const MAX_HEADERS = 200
/** The most bytes of a start line and its header fields. */
export const MAX_HEAD_SIZE_BYTES = 64 * 1024
/** The most bytes of a body. */
const MAX_BODY_SIZE_BYTES = 4 * 1024 * 1024

/** The header fields of a message in their order, by names as they are written in full. */
export type SipHeaders = readonly (readonly [name: string, value: string])[]

/** A request of SIP (RFC 3261 7.1). */
export type SipRequest = {
  readonly kind: 'request'
  readonly method: string
  readonly uri: string
  readonly headers: SipHeaders
  readonly body: Buffer
}

/** A response of SIP (RFC 3261 7.2). */
export type SipResponse = {
  readonly kind: 'response'
  readonly status: number
  readonly reason: string
  readonly headers: SipHeaders
  readonly body: Buffer
}

/** A message of SIP. */
export type SipMessage = SipRequest | SipResponse

/** The start line and header fields of a message, and the size of its body where `Content-Length` states it. */
export type SipHead = {
  readonly message: SipMessage
  readonly bodySizeBytes: number | undefined
}

const VERSION = 'SIP/2.0'
const NO_BODY: Buffer = Buffer.alloc(0)
/** The short names of header fields (RFC 3261 7.3.3, and of RFC 6665 8.2.1). */
const FULL_NAMES = new Map([
  ['i', 'Call-ID'],
  ['m', 'Contact'],
  ['e', 'Content-Encoding'],
  ['l', 'Content-Length'],
  ['c', 'Content-Type'],
  ['f', 'From'],
  ['s', 'Subject'],
  ['k', 'Supported'],
  ['t', 'To'],
  ['v', 'Via'],
  ['o', 'Event'],
  ['u', 'Allow-Events'],
])

/** The first value of a header field; undefined where there is none. Names are compared without regard to case. */
export function headerOf({ headers }: SipMessage, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return headers.find(([other]) => other.toLowerCase() === wanted)?.[1]
}

/** All values of a header field in their order. */
export function headersOf({ headers }: SipMessage, name: string): string[] {
  const wanted = name.toLowerCase()
  return headers.flatMap(([other, value]) => (other.toLowerCase() === wanted ? [value] : []))
}

/**
 * Reads a whole message, as a datagram has it (RFC 3261 18.3): its body ends where `Content-Length` says, or with the datagram.
 * @throws {MalformedError} when it is no message of SIP, or it is shorter than it says.
 */
export function parseSipMessage(bytes: Buffer): SipMessage {
  const end = headEnd(bytes)
  if (end === undefined) throw new MalformedError('a message of SIP without the end of its header')
  const { message, bodySizeBytes } = parseSipHead(bytes.subarray(0, end.textEnd))
  const rest = bytes.subarray(end.bodyStart)
  if (bodySizeBytes !== undefined && bodySizeBytes > rest.length) {
    throw new MalformedError(`a body of ${rest.length} bytes in place of ${bodySizeBytes}`)
  }
  return { ...message, body: Buffer.from(rest.subarray(0, bodySizeBytes ?? rest.length)) }
}

/** The place where the body of a message begins; undefined as long as the end of its headers has not come. */
export function headEnd(bytes: Buffer): { readonly textEnd: number; readonly bodyStart: number } | undefined {
  const at = bytes.indexOf('\r\n\r\n')
  return at < 0 ? undefined : { textEnd: at, bodyStart: at + 4 }
}

/**
 * Reads the start line and the header fields of a message, without the empty line after them.
 * @throws {MalformedError} when a line is none of SIP, or there are too many.
 */
export function parseSipHead(bytes: Buffer): SipHead {
  if (bytes.length > MAX_HEAD_SIZE_BYTES) throw new MalformedError(`a header of ${bytes.length} bytes`)
  // A line that begins with white space goes on with the one before (RFC 3261 7.3.1).
  const [first = '', ...lines] = bytes
    .toString('utf8')
    .replaceAll(/\r\n[ \t]+/gu, ' ')
    .split('\r\n')
  if (lines.length > MAX_HEADERS) throw new MalformedError(`${lines.length} header fields`)
  const headers = lines.map(parseHeader)
  const message = { ...parseStartLine(first), headers, body: NO_BODY }
  const length = headerOf(message, 'Content-Length')
  if (length === undefined) return { message, bodySizeBytes: undefined }
  const bodySizeBytes = Number(length)
  if (!/^\d+$/u.test(length) || bodySizeBytes > MAX_BODY_SIZE_BYTES) throw new MalformedError(`a length of "${length}"`)
  return { message, bodySizeBytes }
}

/** Writes a message, with the size of its body as the last header field. */
export function serializeSipMessage(message: SipMessage): Buffer {
  const start =
    message.kind === 'request'
      ? `${message.method} ${message.uri} ${VERSION}`
      : `${VERSION} ${message.status} ${message.reason}`
  const fields = message.headers.filter(([name]) => name.toLowerCase() !== 'content-length')
  const lines = [start, ...fields.map(([name, value]) => `${name}: ${value}`), `Content-Length: ${message.body.length}`]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), message.body])
}

function parseStartLine(line: string) {
  const [, status, reason = ''] = /^SIP\/2\.0 (\d{3})(?: (.*))?$/u.exec(line) ?? []
  if (status !== undefined) return { kind: 'response', status: Number(status), reason } as const
  const [, method, uri] = /^([\w.!%*+`'~-]+) (\S+) SIP\/2\.0$/u.exec(line) ?? []
  if (method === undefined || uri === undefined) throw new MalformedError('a start line that is none of SIP')
  return { kind: 'request', method, uri } as const
}

function parseHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon).trim()
  if (colon < 0 || !/^[\w.!%*+`'~-]+$/u.test(name)) throw new MalformedError('a line that is no header field')
  return [FULL_NAMES.get(name.toLowerCase()) ?? name, line.slice(colon + 1).trim()]
}
