import { MalformedError } from 'sluice/sdk/media'
import type { RtspProtocol } from './message.ts'

type Version = { readonly protocol: RtspProtocol; readonly version: string }

/** The first line of a message (RFC 2326 6.1, 7.1). */
export type StartLine =
  | (Version & { readonly kind: 'request'; readonly method: string; readonly uri: string })
  | (Version & { readonly kind: 'response'; readonly status: number; readonly reason: string })

const STATUS_LINE = /^(RTSP|HTTP)\/(\d{1,3}\.\d{1,3}) +([1-9]\d\d)(?: (.*))?$/i
const METHOD = /^[a-z][\w.-]{0,31}$/i
const VERSION = /^(RTSP|HTTP)\/(\d{1,3}\.\d{1,3})$/i
/** The most characters of a malformed start line that an error shows. The rest of a request may be secret. */
const SHOWN_LENGTH = 16

/** @throws {MalformedError} when it is neither a request line nor a status line */
export function parseStartLine(line: string): StartLine {
  const [, protocol, version, status, reason = ''] = STATUS_LINE.exec(line) ?? []
  if (protocol !== undefined && version !== undefined) {
    return { kind: 'response', protocol: toProtocol(protocol), version, status: Number(status), reason: reason.trim() }
  }
  return parseRequestLine(line.trimEnd())
}

/** The URL may have spaces in it, as ffmpeg sends them. */
function parseRequestLine(line: string): StartLine {
  const methodEnd = line.indexOf(' ')
  const uriEnd = line.lastIndexOf(' ')
  const method = line.slice(0, Math.max(methodEnd, 0))
  const uri = line.slice(methodEnd + 1, Math.max(uriEnd, 0)).trim()
  const [, protocol, version] = VERSION.exec(line.slice(uriEnd + 1)) ?? []
  if (!METHOD.test(method) || uri === '' || protocol === undefined || version === undefined) {
    throw new MalformedError(`${JSON.stringify(line.slice(0, SHOWN_LENGTH))} where an RTSP message should start`)
  }
  return { kind: 'request', protocol: toProtocol(protocol), version, method, uri }
}

function toProtocol(text: string): RtspProtocol {
  return text.toUpperCase() === 'HTTP' ? 'HTTP' : 'RTSP'
}
