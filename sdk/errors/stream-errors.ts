import { SluiceError } from './sluice-error.ts'

/**
 * A gate or hook refused the session (`DENIED`, 401). Clients get only the generic message; why is in `cause`, and the
 * host has logged it. What a protocol's plugin makes of it (spec.md, Protocol coverage of the gates):
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

/** The path has no publisher, and none came within `subscribe.waittimeout` (`NOT_FOUND`, 404). */
export class StreamNotFound extends SluiceError {
  /** @param message what a client is told */
  constructor(message = 'not found') {
    super('NOT_FOUND', 404, message)
  }
}

/** The path has a publisher already, and `publish.kickexist` is off (`EXISTS`, 409). */
export class StreamExists extends SluiceError {
  constructor() {
    super('EXISTS', 409, 'stream exist')
  }
}

/** `publish.maxcount` or `subscribe.maxcount` is reached, or the server is stopping (`UNAVAILABLE`, 503). */
export class StreamUnavailable extends SluiceError {
  constructor(message: string) {
    super('UNAVAILABLE', 503, message)
  }
}

/** What the client asked for can't be a stream path or a session option (`INVALID`, 400). */
export class InvalidRequest extends SluiceError {
  constructor(message: string) {
    super('INVALID', 400, message)
  }
}
