/**
 * Every named error of the sdk carries a stable `code` and the HTTP status that says the same; `message` may be shown to
 * a client, `cause` never.
 */
export class SluiceError extends Error {
  readonly code: string
  readonly statusCode: number

  constructor(code: string, statusCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
    this.statusCode = statusCode
  }
}

/**
 * A gate or hook refused the session (401). Clients get only the generic message; why is in `cause`, and the host has
 * logged it. What a protocol's plugin makes of it (spec.md, Protocol coverage of the gates):
 *
 * | protocol     | publish               | play                | a client that is denied                   |
 * | ------------ | --------------------- | ------------------- | ----------------------------------------- |
 * | rtmp         | yes                   | yes                 | has its connection closed                 |
 * | webrtc       | yes (WHIP)            | yes (WHEP)          | gets HTTP 401                             |
 * | srt          | yes                   | yes                 | has its handshake rejected (Unauthorized) |
 * | rtsp         | yes (record/announce) | yes (describe/play) | gets RTSP 401                             |
 * | webtransport | yes                   | yes                 | has its session closed                    |
 * | hls          | no                    | yes                 | gets HTTP 401; segments pass no webhook   |
 * | flv          | no                    | yes                 | gets HTTP 401, a WebSocket no upgrade     |
 * | mp4          | no                    | yes                 | gets HTTP 401                             |
 */
export class StreamDenied extends SluiceError {
  constructor(cause: unknown) {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    super('DENIED', 401, 'unauthorized', { cause: error })
  }
}

/** The path has no publisher, and none came in `subscribe.waittimeout` (404). */
export class StreamNotFound extends SluiceError {
  constructor() {
    super('NOT_FOUND', 404, 'not found')
  }
}

/** The path has a publisher already and `publish.kickexist` is off (409). */
export class StreamExists extends SluiceError {
  constructor() {
    super('EXISTS', 409, 'stream exist')
  }
}

/** `publish.maxcount` or `subscribe.maxcount` is reached, or the server is stopping (503). */
export class StreamUnavailable extends SluiceError {
  constructor(message: string) {
    super('UNAVAILABLE', 503, message)
  }
}

/** What the client asked for can't be a stream path or a session option (400). */
export class InvalidRequest extends SluiceError {
  constructor(message: string) {
    super('INVALID', 400, message)
  }
}
