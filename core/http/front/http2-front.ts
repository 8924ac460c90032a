import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Stream,
  type ServerHttp2Session,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { sessionClient } from 'sluice/sdk'
import type { HttpLimits } from './limits.ts'
import { Http2Response } from './http2-response.ts'
import { settleHttp2Host } from './request-host.ts'
import { answerWith } from '../replies.ts'

export type Http2FrontOptions = {
  readonly log: Logger
  readonly limits: HttpLimits
  /** Called with a request and a response that have the interface of those of HTTP/1. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, socket: Socket) => void
}

const TOO_SLOW = 'no complete request in time'
const TOO_MANY_RESETS = 'too many requests taken back'
const { NGHTTP2_ENHANCE_YOUR_CALM } = constants

/** A session, and the times at which the requests of its streams began. */
type Connection = {
  readonly session: ServerHttp2Session
  readonly socket: Socket
  readonly facts: { readonly ip: string | undefined; readonly port: number | undefined }
  readonly startMsByStream: Map<Http2Stream, number>
  /** The time since which the session has no stream. */
  idleSinceMs: number
  hasAsked: boolean
  /** The number of requests that the client has reset, less those that are forgiven with time. */
  resets: number
  logged: boolean
}

/** Reads HTTP/2 (RFC 9113) from TLS connections that agreed on it, and bounds what a client may do with them. */
export class Http2Front {
  readonly #server: Http2Server
  readonly #connections = new Map<ServerHttp2Session, Connection>()
  readonly #log: Logger
  readonly #limits: HttpLimits
  readonly #onRequest: Http2FrontOptions['onRequest']
  readonly #checkTimer: NodeJS.Timeout
  #closing = false

  constructor({ log, limits, onRequest }: Http2FrontOptions) {
    this.#log = log
    this.#limits = limits
    this.#onRequest = onRequest
    this.#server = createServer({
      settings: { maxConcurrentStreams: limits.maxStreams, maxHeaderListSize: limits.maxHeaderBytes },
      Http2ServerResponse: Http2Response,
    })
    this.#server.on('stream', (stream) => this.#track(stream))
    this.#server.on('request', (request, response) => this.#handle(request, response))
    this.#server.on('sessionError', (error, session) => this.#onSessionError(error, session))
    this.#checkTimer = setInterval(() => this.#check(), limits.checkIntervalMs).unref()
  }

  accept(socket: Socket): void {
    const { ip, port } = sessionClient(socket)
    const facts = { ip, port }
    this.#server.once('session', (session) => {
      this.#connections.set(session, {
        session,
        socket,
        facts,
        startMsByStream: new Map(),
        idleSinceMs: performance.now(),
        hasAsked: false,
        resets: 0,
        logged: false,
      })
      session.once('close', () => this.#connections.delete(session))
      if (this.#closing) session.close()
    })
    this.#server.emit('connection', socket)
  }

  /** Sends GOAWAY to the clients; connections close with the last of their streams. */
  close(): void {
    this.#closing = true
    for (const session of this.#connections.keys()) session.close()
    clearInterval(this.#checkTimer)
  }

  #track(stream: Http2Stream): void {
    const connection = stream.session && this.#connections.get(stream.session as ServerHttp2Session)
    if (!connection || stream.destroyed) return
    connection.hasAsked = true
    connection.startMsByStream.set(stream, performance.now())
    stream.once('close', () => {
      connection.startMsByStream.delete(stream)
      connection.idleSinceMs = performance.now()
      if (stream.aborted) this.#countReset(connection)
    })
    stream.on('error', (err) => this.#log.debug({ ...connection.facts, reason: err.message }, 'HTTP/2 stream failed'))
    stream.on('timeout', () => this.#onIdle(stream))
    stream.setTimeout(this.#limits.idleTimeoutMs)
  }

  /** Ends an idle stream. A client may wait for its answer as long as it likes, but not let the server wait. */
  #onIdle(stream: Http2Stream): void {
    const isWaiting = stream.state.remoteClose === 1 && stream.writableLength === 0
    if (isWaiting) stream.setTimeout(this.#limits.idleTimeoutMs)
    else stream.destroy(new Error('nothing moved in time'))
  }

  /** Counts a reset. The runtime has such a limit, too, but lets thousands through before it acts (CVE-2023-44487). */
  #countReset(connection: Connection): void {
    connection.resets++
    if (connection.resets <= this.#limits.maxStreamResets || connection.session.destroyed) return
    connection.session.destroy(new Error(TOO_MANY_RESETS), NGHTTP2_ENHANCE_YOUR_CALM)
  }

  #handle(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const { session } = request.stream
    const connection = session && this.#connections.get(session as ServerHttp2Session)
    // A stream may be reset before its request is handled.
    if (!connection || request.stream.destroyed) return
    // Node's compatibility classes have the interface of HTTP/1.
    const [asIncoming, asResponse] = [request, response] as unknown as [IncomingMessage, ServerResponse]
    if (headerBytes(request) > this.#limits.maxHeaderBytes) return answerWith(asResponse, 431, 'headers too long')
    const fault = settleHttp2Host(request)
    if (fault !== undefined) {
      this.#log.info({ ...connection.facts, reason: fault }, 'request refused')
      return answerWith(asResponse, 400, 'bad request')
    }
    this.#onRequest(asIncoming, asResponse, connection.socket)
  }

  #onSessionError(error: Error & { readonly code?: string }, session: ServerHttp2Session): void {
    const connection = this.#connections.get(session)
    if (connection) this.#logEnd(connection, error.message, error.code)
  }

  #logEnd(connection: Connection, reason: string, code?: string): void {
    if (connection.logged) return
    connection.logged = true
    const facts = { ...connection.facts, received: connection.socket.bytesRead, code }
    if (code === 'ECONNRESET') this.#log.debug(facts, 'connection reset')
    else this.#log.info({ ...facts, reason }, 'connection closed')
  }

  #check(): void {
    const nowMs = performance.now()
    const forgiven = (this.#limits.streamResetsPerSecond * this.#limits.checkIntervalMs) / 1000
    for (const connection of this.#connections.values()) {
      connection.resets = Math.max(0, connection.resets - forgiven)
      if (connection.startMsByStream.size === 0) this.#checkIdle(connection, nowMs)
      else this.#checkRequests(connection, nowMs)
    }
  }

  #checkIdle(connection: Connection, nowMs: number): void {
    const { session, socket, hasAsked, idleSinceMs } = connection
    const { keepAliveTimeoutMs, headersTimeoutMs } = this.#limits
    if (nowMs - idleSinceMs < (hasAsked ? keepAliveTimeoutMs : headersTimeoutMs)) return
    if (!hasAsked) this.#logEnd(connection, TOO_SLOW)
    // A client that does not react to GOAWAY is disconnected.
    if (session.closed || session.destroyed) socket.destroy()
    else session.close()
  }

  #checkRequests({ startMsByStream, facts }: Connection, nowMs: number): void {
    for (const [stream, startMs] of startMsByStream) {
      if (nowMs - startMs < this.#limits.requestTimeoutMs) continue
      // A complete request has met its limit, and its answer may take its time.
      startMsByStream.set(stream, Infinity)
      if (stream.state.remoteClose === 1) continue
      this.#log.info({ ...facts, reason: TOO_SLOW }, 'request ended')
      stream.destroy(new Error(TOO_SLOW))
    }
  }
}

/** The size of a request's headers, which is checked here, too: a client knows of the limit only after its first requests. */
function headerBytes({ rawHeaders }: Http2ServerRequest): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, 0)
}
