import type { RtspHeaders } from './headers.ts'

/** The protocol in the start line; the heads of the tunnel are HTTP. */
export type RtspProtocol = 'RTSP' | 'HTTP'

type MessageFields = {
  readonly protocol: RtspProtocol
  /** The version as sent: `1.0`, or another one that is to be refused. */
  readonly version: string
  /** The sequence number; undefined when it is missing or malformed. */
  readonly cseq: number | undefined
  readonly headers: RtspHeaders
  /** A view into the bytes pushed, or bytes of its own; always empty with HTTP: its body is the tunnel. */
  readonly body: Buffer
}

/** A request (RFC 2326 6). */
export type RtspRequest = MessageFields & {
  readonly kind: 'request'
  /** The method as sent, `DESCRIBE` for example. */
  readonly method: string
  /** The URI as sent: a whole URL, with HTTP a path, or `*`. */
  readonly uri: string
}

/** A response (RFC 2326 7). */
export type RtspResponse = MessageFields & {
  readonly kind: 'response'
  /** 100–999. */
  readonly status: number
  readonly reason: string
}

/** Binary data between the messages of a connection (RFC 2326 10.12). */
export type InterleavedFrame = {
  readonly kind: 'interleaved'
  /** 0–255. */
  readonly channel: number
  /** A view into the bytes pushed, or bytes of its own when they came in pieces. */
  readonly payload: Buffer
}
