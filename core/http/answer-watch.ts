import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { carrierOf, requestClient, type RoutedRequest } from 'sluice/sdk/http'
import { withoutQuery } from '../observe/logger.ts'
import { Http1Response } from './front/http1-response.ts'
import { HttpMeters, type AnswerMeter } from './http-meters.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'
import { countSentBytes } from './sent-bytes.ts'
import { withoutTokens } from './session-tokens.ts'

/** The most characters of a path in a log line; a longer one is cut. */
const MAX_PATH_LENGTH = 2048
const SWITCHING_PROTOCOLS = 101
/** The status in the access log where the client left before there was an answer, as in nginx. */
const CLIENT_CLOSED_REQUEST = 499

/** The logs of answers: the access log, and the debug log of the part that answers. */
type AnswerLogs = { readonly access: Logger; readonly debug: Logger }

/** An answer to a WebSocket request. */
export type UpgradeAnswer = {
  /** Sets the status of the refusal, for the log and the counters. */
  refused(statusCode: number): void
}

/** Creates the watches of the server's parts. */
export class AnswerWatches {
  readonly #access: Logger
  readonly #meters: HttpMeters

  constructor(log: Logger, meters: HttpMeters = new HttpMeters()) {
    this.#access = log.child({ logger: 'access' }, { level: 'info' })
    this.#meters = meters
  }

  /** The watch of the administration, which includes a plugin's operations with absolute paths. */
  ofAdministration(log: Logger): AnswerWatch {
    return this.of('administration', log)
  }

  /**
   * @param group the plugin, or the part of the server, that the answers count for
   * @param log shows the answers at level debug
   */
  of(group: string, log: Logger): AnswerWatch {
    return new AnswerWatch({ access: this.#access, debug: log }, this.#meters.of(group))
  }
}

/** Follows answers to their end: counts them, and logs those that are to be logged. */
export class AnswerWatch {
  /** True when all answers go to the access log. */
  logsAll = false
  readonly #logs: AnswerLogs
  readonly #meter: AnswerMeter

  constructor(logs: AnswerLogs, meter: AnswerMeter) {
    this.#logs = logs
    this.#meter = meter
  }

  /** Counts and logs an answer, and gives it the request's id. */
  follow(request: RoutedRequest, response: ServerResponse): void {
    if (request.id !== undefined) response.setHeader(REQUEST_ID_HEADER, request.id)
    const startMs = performance.now()
    const line = this.#lineOf(request)
    response.once('close', () => {
      const { headersSent, statusCode, writableEnded } = response
      const given = response instanceof Http1Response ? response.given : null
      const isWhole = writableEnded || given !== null
      const status = headersSent ? statusCode : undefined
      this.#meter.answered(status, isWhole ? (performance.now() - startMs) / 1000 : undefined)
      line?.answered(status, request.user)
      if (line !== undefined) writeOnceClosed(line, given)
    })
  }

  followUpgrade(request: RoutedRequest, socket: Duplex): UpgradeAnswer {
    const line = this.#lineOf(request)
    let status = SWITCHING_PROTOCOLS
    socket.once('close', () => {
      this.#meter.answered(status, undefined)
      line?.answered(status, request.user)
      line?.write()
    })
    return { refused: (statusCode) => void (status = statusCode) }
  }

  #lineOf(request: RoutedRequest): AnswerLine | undefined {
    const { access, debug } = this.#logs
    if (this.logsAll) return new AnswerLine(request, (fields) => access.info(fields, 'request'))
    if (!debug.isLevelEnabled('debug')) return undefined
    return new AnswerLine(request, (fields) => debug.debug(fields, 'request'))
  }
}

/**
 * The line of the log for one answer. It takes the fields of the request at once: later the connection does not know its
 * client any more, and a line that waits for the end of a live stream must not hold the request.
 */
class AnswerLine {
  readonly #method: string | undefined
  readonly #path: string
  readonly #ip: string
  readonly #id: string | undefined
  readonly #startMs = performance.now()
  readonly #sentBytes: () => number
  readonly #log: (fields: object) => void
  #status = CLIENT_CLOSED_REQUEST
  #user: string | undefined

  constructor(request: RoutedRequest, log: (fields: object) => void) {
    this.#method = request.method
    this.#path = loggedPath(request)
    this.#ip = requestClient(request).ip
    this.#id = request.id
    this.#sentBytes = countSentBytes(carrierOf(request))
    this.#log = log
  }

  /** @param statusCode undefined where the client left before there was an answer */
  answered(statusCode: number | undefined, user: string | undefined): void {
    this.#status = statusCode ?? CLIENT_CLOSED_REQUEST
    this.#user = user
  }

  write(): void {
    const tookMs = Math.round(performance.now() - this.#startMs)
    const user = this.#user === undefined ? {} : { user: this.#user }
    const asked = { method: this.#method, path: this.#path }
    const answer = { status: this.#status, bytes: this.#sentBytes(), tookMs }
    this.#log({ ...asked, ...answer, ip: this.#ip, ...user, requestId: this.#id })
  }
}

/** The path of a request as logs may show it: without its query, and without tokens. */
export function loggedPath({ originalUrl = '' }: RoutedRequest): string {
  return withoutTokens(withoutQuery(originalUrl)).slice(0, MAX_PATH_LENGTH)
}

function writeOnceClosed(line: AnswerLine, given: Duplex | null): void {
  if (given === null || given.destroyed) line.write()
  else given.once('close', () => line.write())
}
