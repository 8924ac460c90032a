import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/** The characters of a name or an address (RFC 3986 3.2.2), and a port; user information and blanks are not allowed. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w\-.~%!$&'()*+,;=]+)(?::\d*)?$/iu
const ABSOLUTE_FORM = /^https?:\/\/(?<authority>[^/?#]*)/iu

/**
 * Settles the host of a request of HTTP/1. The host of a target that is a whole URL counts before the header `Host`, and
 * takes its place (RFC 9112 3.2.2).
 * @returns the reason to refuse the request (RFC 9112 3.2); undefined where its host is clear
 */
export function settleHost(request: IncomingMessage): string | undefined {
  const { rawHeaders, headers, url = '' } = request
  const lines = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (lines.length > 1) return 'more than one Host'
  if (headers.host !== undefined && headers.host !== '' && !isHost(headers.host)) return 'a Host that is none'
  const authority = ABSOLUTE_FORM.exec(url)?.groups?.['authority']
  if (authority === undefined) return undefined
  if (!isHost(authority)) return 'a URL without a host that can be read'
  headers.host = authority
  return undefined
}

/**
 * Settles the host of a request of HTTP/2, and puts it into the header `Host`, as in HTTP/1.
 * @returns the reason to refuse the request (RFC 9113 8.3.1); undefined where its host is clear
 */
export function settleHttp2Host({
  authority,
  headers,
}: Pick<Http2ServerRequest, 'authority' | 'headers'>): string | undefined {
  const { host } = headers
  if (authority && !isHost(authority)) return 'an :authority that is none'
  if (host && !isHost(host)) return 'a Host that is none'
  if (authority && host && hostOf(authority) !== hostOf(host)) return 'a Host other than :authority'
  if (authority) headers.host = authority
  return undefined
}

function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}/`)
}

/** Parses a host and its port, which may be left out for TLS, as HTTP/2 comes over TLS. */
function hostOf(text: string): string | undefined {
  return URL.parse(`https://${text}/`)?.host
}
