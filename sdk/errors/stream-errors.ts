import { SluiceError } from './sluice-error.ts'

/**
 * A gate or hook refused the session (`DENIED`, 401). Clients get only the generic message; `cause` has the reason, and
 * the host has logged it. The protocols' plugins answer as follows (spec.md, Protocol coverage of the gates):
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
 * | jsmpeg       | no                    | yes                 | gets HTTP 401, and no upgrade             |
 * | annexb       | no                    | yes                 | gets HTTP 401, a WebSocket no upgrade     |
 * | snap         | no                    | yes                 | gets HTTP 401                             |
 */
export class StreamDenied extends SluiceError {
  constructor(cause: unknown) {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    super('DENIED', 401, 'unauthorized', { cause: error })
  }
}

/** The path has no publisher, and none came within `subscribe.waittimeout` (`NOT_FOUND`, 404). */
export class StreamNotFound extends SluiceError {
  /** @param message the text that the client gets */
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

/** A limit such as `publish.maxcount` is reached, no port is free, or the server is stopping (`UNAVAILABLE`, 503). */
export class StreamUnavailable extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('UNAVAILABLE', 503, message, options)
  }
}

/** A stream path or a session option that the client sent is not valid (`INVALID`, 400). */
export class InvalidRequest extends SluiceError {
  constructor(message: string) {
    super('INVALID', 400, message)
  }
}

/** The schemes that players and encoders open; none of them runs a program or reads a file. */
const REDIRECT_SCHEMES = ['http', 'https', 'ws', 'wss', 'rtmp', 'rtmps', 'rtsp', 'rtsps', 'srt']

/**
 * The stream is available at another address (`REDIRECT`, 302). An admission hook throws it, or the server for the
 * redirect of a `resolve` hook. The protocols' plugins answer as follows:
 *
 * | protocol      | the client                                                                                       |
 * | ------------- | ------------------------------------------------------------------------------------------------ |
 * | hls, flv, mp4 | gets HTTP 302 with `Location`; a WebSocket too, before the upgrade                               |
 * | rtmp          | gets `onStatus` `NetConnection.Connect.Rejected` with `ex: { code: 302, redirect: url }`, the end |
 * | rtsp          | gets RTSP 302 with `Location`                                                                    |
 * | others        | is refused, as by `UNAVAILABLE`                                                                  |
 */
export class StreamRedirect extends SluiceError {
  readonly #url: string

  /**
   * @param url absolute, of the schemes http, https, ws, wss, rtmp, rtmps, rtsp, rtsps or srt. Where it has no `?`, the
   *   server adds the query of the client, by which the other address can identify it.
   * @throws {TypeError} when it is another
   */
  constructor(url: string) {
    super('REDIRECT', 302, 'the stream is at another address')
    const parsed = URL.parse(url)
    if (parsed === null || parsed.host === '' || !REDIRECT_SCHEMES.includes(parsed.protocol.slice(0, -1))) {
      throw new TypeError(`a redirect is an absolute address, of one of the schemes ${REDIRECT_SCHEMES.join(', ')}`)
    }
    this.#url = parsed.href
  }

  /** The address. It is no property of its own, so that no log shows it with what secrets are in it. */
  get url(): string {
    return this.#url
  }

  /** Returns the redirect for a client that came with this query, which is added where the address has none. */
  withQuery(query: string): StreamRedirect {
    if (query === '' || this.#url.includes('?')) return this
    const url = new URL(this.#url)
    url.search = query
    return new StreamRedirect(url.href)
  }
}

/** The source can't do what it is asked, as a live one can't be paused (`UNSUPPORTED`, 501). */
export class Unsupported extends SluiceError {
  constructor(message: string) {
    super('UNSUPPORTED', 501, message)
  }
}
