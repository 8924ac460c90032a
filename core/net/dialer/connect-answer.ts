import { MalformedError } from 'sluice/sdk/media'

/** The largest head of an answer that is read. */
export const MAX_HEAD_BYTES = 16 * 1024

const HEAD_END = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/u

/** A proxy's answer to CONNECT (RFC 9110 9.3.6); the bytes after the head are the target's. */
export type ConnectAnswer = { readonly status: number; readonly headSizeBytes: number }

/**
 * Parses the head of an answer to CONNECT; null while it is incomplete. Interim answers (1xx) are skipped.
 * @throws {MalformedError} when it is no HTTP, or longer than {@link MAX_HEAD_BYTES}
 */
export function parseConnectAnswer(bytes: Buffer): ConnectAnswer | null {
  for (let start = 0; ;) {
    const end = bytes.indexOf(HEAD_END, start, 'latin1')
    const headSizeBytes = end < 0 ? bytes.length : end + HEAD_END.length
    if (headSizeBytes > MAX_HEAD_BYTES) throw new MalformedError(`more than ${MAX_HEAD_BYTES} bytes of head`)
    if (end < 0) return null
    const [statusLine = ''] = bytes.toString('latin1', start, end).split('\r\n', 1)
    const status = Number(STATUS_LINE.exec(statusLine)?.[1])
    if (Number.isNaN(status)) throw new MalformedError('no status line of HTTP')
    if (status >= 200) return { status, headSizeBytes }
    start = headSizeBytes
  }
}

/**
 * Serializes a CONNECT request.
 * @param host the host; IPv6 without brackets
 */
export function serializeConnect(host: string, port: number, user?: { name: string; password: string }): string {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (user !== undefined) {
    const credentials = Buffer.from(`${user.name}:${user.password}`).toString('base64')
    lines.push(`Proxy-Authorization: Basic ${credentials}`)
  }
  return lines.join('\r\n') + HEAD_END
}
