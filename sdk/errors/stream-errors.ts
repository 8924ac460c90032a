/** Every named error of the sdk carries a stable `code`; `message` may be shown to a client, `cause` never. */
export class SluiceError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }

  /** By code, so that it holds for errors of another copy of the sdk, too. */
  static is(value: unknown, code: string): boolean {
    return value instanceof Error && 'code' in value && value.code === code
  }
}

/**
 * A gate or hook refused the session. Clients get only the generic message; why is in `cause`, for the log.
 *
 * What a protocol makes of it (spec.md, Protocol coverage of the gates): rtmp closes the connection; webrtc, flv, hls and
 * mp4 answer 401; srt rejects the handshake as Unauthorized; rtsp answers 401; webtransport closes the session.
 */
export class StreamDenied extends SluiceError {
  constructor(cause: unknown) {
    super('DENIED', 'unauthorized', { cause: cause instanceof Error ? cause : new Error(String(cause)) })
  }
}

/** The path has no publisher, and none came in `subscribe.waittimeout`. HTTP protocols answer 404. */
export class StreamNotFound extends SluiceError {
  constructor(message = 'not found') {
    super('NOT_FOUND', message)
  }
}

/** The path has a publisher already and `publish.kickexist` is off. */
export class StreamExists extends SluiceError {
  constructor() {
    super('EXISTS', 'stream exist')
  }
}

/** `publish.maxcount` or `subscribe.maxcount` is reached, or the server is stopping. HTTP protocols answer 503. */
export class StreamUnavailable extends SluiceError {
  constructor(message: string) {
    super('UNAVAILABLE', message)
  }
}

/** What the client asked for can't be a stream path or a session option. HTTP protocols answer 400. */
export class InvalidRequest extends SluiceError {
  constructor(message: string) {
    super('INVALID', message)
  }
}
