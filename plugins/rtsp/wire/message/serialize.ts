import { MalformedError } from 'sluice/sdk/media'
import { RtspHeaders } from './headers.ts'
import { reasonOf } from './status.ts'

/** The common fields of requests and responses to be sent. */
export type RtspMessageInit = {
  readonly cseq?: number | undefined
  /** `CSeq` and `Content-Length` in them are left out: they follow from `cseq` and `body`. */
  readonly headers?: RtspHeaders
  readonly body?: Buffer
}

/** A request to be sent; an {@link RtspRequest} is one. */
export type RtspRequestInit = RtspMessageInit & { readonly method: string; readonly uri: string }

/** A response to be sent; an {@link RtspResponse} is one. The reason is by default the one of the status. */
export type RtspResponseInit = RtspMessageInit & { readonly status: number; readonly reason?: string }

const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f]/u
const NO_HEADERS = new RtspHeaders()
const NO_BODY = Buffer.alloc(0)

/**
 * Writes a request of RTSP 1.0 (RFC 2326 6).
 * @throws {MalformedError} when a part has a character that would end its line
 */
export function serializeRequest(request: RtspRequestInit): Buffer {
  return serializeMessage(`${request.method} ${request.uri} RTSP/1.0`, request)
}

/**
 * Writes a response of RTSP 1.0 (RFC 2326 7).
 * @throws {MalformedError} when a part has a character that would end its line
 */
export function serializeResponse(response: RtspResponseInit): Buffer {
  const { status, reason = reasonOf(status) } = response
  return serializeMessage(`RTSP/1.0 ${status} ${reason}`, response)
}

function serializeMessage(startLine: string, message: RtspMessageInit): Buffer {
  const { cseq, headers = NO_HEADERS, body = NO_BODY } = message
  const lines = [checked(startLine, 'start line')]
  if (cseq !== undefined) lines.push(`CSeq: ${cseq}`)
  for (const [name, value] of headers) {
    if (!isOwn(name)) lines.push(checked(`${name}: ${value}`, 'header'))
  }
  if (body.length > 0) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  return body.length === 0 ? head : Buffer.concat([head, body])
}

function isOwn(name: string): boolean {
  const lowerCase = name.toLowerCase()
  return lowerCase === 'cseq' || lowerCase === 'content-length'
}

function checked(line: string, what: string): string {
  if (FORBIDDEN.test(line)) throw new MalformedError(`control character in the ${what} of an RTSP message to be sent`)
  return line
}
