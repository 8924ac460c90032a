import type { RtspHeaders } from './headers.ts'

/** HTTP is what the heads of the tunnel are written in. */
export type RtspProtocol = 'RTSP' | 'HTTP'

type MessageFields = {
  readonly protocol: RtspProtocol
  /** As sent: `1.0`, or another one that is to be refused. */
  readonly version: string
  /** Undefined where it is missing or no number. */
  readonly cseq: number | undefined
  readonly headers: RtspHeaders
  /** A view into what was pushed, or bytes of its own; always empty with HTTP, whose body is the tunnel. */
  readonly body: Buffer
}

/** A request (RFC 2326 6). */
export type RtspRequest = MessageFields & {
  readonly kind: 'request'
  /** As sent, `DESCRIBE` for example. */
  readonly method: string
  /** As sent: a whole URL, with HTTP a path, or `*`. */
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
  /** A view into what was pushed, or bytes of its own where it came in pieces. */
  readonly payload: Buffer
}
