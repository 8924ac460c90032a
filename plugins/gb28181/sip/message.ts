import { MalformedError } from 'sluice/sdk/media'
import { SipHeaders } from './headers.ts'

/** The largest start line with its headers, and the most fields, of a message that is read. */
export const MAX_HEAD_BYTES = 16 * 1024
const MAX_FIELDS = 128
/** The largest body: a page of a catalog has some hundred bytes an item. */
export const MAX_BODY_BYTES = 1024 * 1024

type Content = {
  readonly headers: SipHeaders
  readonly body: Buffer
}

export type SipRequest = Content & {
  readonly kind: 'request'
  /** In capitals, for example `REGISTER`. */
  readonly method: string
  readonly uri: string
}

export type SipResponse = Content & {
  readonly kind: 'response'
  /** 100–699. */
  readonly status: number
  readonly reason: string
}

/** A message of SIP (RFC 3261 7). */
export type SipMessage = SipRequest | SipResponse

const REQUEST_LINE = /^([!%'*+\-.\w`~]+) (\S+) SIP\/2\.0$/iu
const STATUS_LINE = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/iu
const FIELD = /^([!%'*+\-.\w`~]+)[ \t]*:[ \t]*(.*)$/u
const CONTENT_LENGTH = /^\d{1,9}$/u
const HEAD_END = Buffer.from('\r\n\r\n')
const NO_BODY: Buffer = Buffer.alloc(0)

/**
 * Reads a message of one datagram. Where it states no length, its body is the rest; more than it states is left out.
 * @throws {MalformedError} when it is none, too large, or shorter than it states
 */
export function parseSipDatagram(bytes: Buffer): SipMessage {
  const headBytes = headSizeOf(bytes)
  if (headBytes === undefined) throw new MalformedError('SIP message without an end of its headers')
  const head = parseSipHead(bytes.subarray(0, headBytes))
  const bodyBytes = head.bodyBytes ?? bytes.length - headBytes
  if (bodyBytes > bytes.length - headBytes) throw new MalformedError('SIP message that is shorter than it states')
  return { ...head.message, body: bytes.subarray(headBytes, headBytes + bodyBytes) }
}

/** Returns where the body begins; undefined when the end of the headers is not among the bytes. */
export function headSizeOf(bytes: Buffer): number | undefined {
  const at = bytes.indexOf(HEAD_END)
  return at < 0 ? undefined : at + HEAD_END.length
}

/** A message whose body has yet to come, and the size of that; undefined where it is not stated. */
export type SipHead = { readonly message: SipMessage; readonly bodyBytes: number | undefined }

/**
 * Reads a start line and headers, with the empty line behind them.
 * @throws {MalformedError} when they are none, or too large
 */
export function parseSipHead(bytes: Buffer): SipHead {
  if (bytes.length > MAX_HEAD_BYTES) throw new MalformedError(`SIP headers of more than ${MAX_HEAD_BYTES} bytes`)
  const [start = '', ...lines] = bytes.toString('utf8').trimStart().trimEnd().split('\r\n')
  const fields = lines.reduce<string[]>((unfolded, line) => {
    // A line that begins with a space goes on the one before (7.3.1).
    if (/^[ \t]/u.test(line) && unfolded.length > 0) unfolded[unfolded.length - 1] += ` ${line.trim()}`
    else unfolded.push(line)
    return unfolded
  }, [])
  if (fields.length > MAX_FIELDS) throw new MalformedError(`SIP message of more than ${MAX_FIELDS} headers`)
  const headers = new SipHeaders(fields.map(parseField))
  return { message: { ...parseStartLine(start), headers, body: NO_BODY }, bodyBytes: bodySizeOf(headers) }
}

/** Writes a message, with the length of its body. */
export function serializeSipMessage(message: SipMessage): Buffer {
  const { headers, body } = message
  const start =
    message.kind === 'request'
      ? `${message.method} ${message.uri} SIP/2.0`
      : `SIP/2.0 ${message.status} ${message.reason}`
  const lines = Array.from(headers.with('Content-Length', String(body.length)), ([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from(`${[start, ...lines].join('\r\n')}\r\n\r\n`), body])
}

type StartLine = Pick<SipRequest, 'kind' | 'method' | 'uri'> | Pick<SipResponse, 'kind' | 'status' | 'reason'>

function parseStartLine(line: string): StartLine {
  const request = REQUEST_LINE.exec(line)
  if (request !== null) return { kind: 'request', method: request[1]!.toUpperCase(), uri: request[2]! }
  const response = STATUS_LINE.exec(line)
  if (response !== null) return { kind: 'response', status: Number(response[1]), reason: response[2] ?? '' }
  throw new MalformedError('SIP message without a start line')
}

function parseField(line: string): [name: string, value: string] {
  const field = FIELD.exec(line)
  if (field === null) throw new MalformedError('SIP header without a name')
  return [field[1]!, field[2]!.trim()]
}

function bodySizeOf(headers: SipHeaders): number | undefined {
  const text = headers.get('Content-Length')
  if (text === undefined) return undefined
  if (!CONTENT_LENGTH.test(text)) throw new MalformedError('SIP message with a length that is no number')
  const sizeBytes = Number(text)
  if (sizeBytes > MAX_BODY_BYTES) throw new MalformedError(`SIP body of more than ${MAX_BODY_BYTES} bytes`)
  return sizeBytes
}
