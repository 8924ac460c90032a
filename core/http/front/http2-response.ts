import { Http2ServerResponse, type ServerHttp2Stream } from 'node:http2'

/** The headers of HTTP/1 that describe its connection; in HTTP/2 they are malformed (RFC 9113, 8.2.2). */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** A response that behaves as one of HTTP/1, so that a handler need not know which of them it answers over. */
export class Http2Response extends Http2ServerResponse {
  constructor(stream: ServerHttp2Stream) {
    super(stream)
    let closed = false
    this.once('close', () => {
      closed = true
    })
    // The runtime emits no event for a HEAD request that ends without an answer.
    stream.once('close', () => {
      if (!closed) this.emit('close')
    })
  }

  override setHeader(name: string, value: number | string | readonly string[]): void {
    if (isAllowed(name)) super.setHeader(name, value)
  }

  /** Takes a reason phrase, which HTTP/2 does not have, and headers, as in HTTP/1. */
  override writeHead(statusCode: number, ...rest: readonly unknown[]): this {
    const headers = rest.find((part) => typeof part === 'object' && part !== null) ?? {}
    return super.writeHead(statusCode, Array.isArray(headers) ? allowedPairs(headers) : allowedFields(headers))
  }

  /** Ends the stream with an error; without one, clients would take the answer for complete. */
  override destroy(error = new Error('ended by the server')): this {
    super.destroy(error)
    return this
  }
}

function isAllowed(name: string): boolean {
  return !CONNECTION_HEADERS.has(name.toLowerCase())
}

function allowedFields(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isAllowed(name)))
}

/** Filters a list in which names and values alternate. */
function allowedPairs(headers: readonly string[]): string[] {
  return headers.filter((_text, index) => isAllowed(headers[index - (index % 2)] ?? ''))
}
