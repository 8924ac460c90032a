import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { sessionClient } from 'sluice/sdk'
import type { HttpLimits } from './limits.ts'
import { attachHttp, forgetHttp, Http1Response } from './http1-response.ts'
import { Http2Front } from './http2-front.ts'
import { settleHost } from './request-host.ts'
import { TurnQueue } from './turn-queue.ts'
import { answerWith, closeWith } from '../replies.ts'

export type FrontServerOptions = {
  readonly log: Logger
  readonly limits: HttpLimits
  /** Called with the connection itself, too: over HTTP/2, that of the request stands for its stream. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, socket: Socket) => void
  /** Explains for the log which other protocol a client speaks, and where it is taken; undefined where it is unknown. */
  readonly explainForeign: (firstBytes: Buffer) => string | undefined
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/** The parser's code for bytes that begin with no name of a method. */
const NO_REQUEST = 'HPE_INVALID_METHOD'

/** An error of the parser, with the bytes in which it was found. */
type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

const TOO_SLOW = 'no complete request in time'

/**
 * Reads HTTP/1 and HTTP/2 from connections that listeners have accepted, and bounds what a client may do before its request
 * is complete.
 */
export class FrontServer {
  readonly #server: Server
  readonly #http2: Http2Front
  readonly #sockets = new Set<Socket>()
  /** The requests of all connections that clients send without waiting for an answer. */
  readonly #pipelines: TurnQueue
  /** The latest response of each connection; while it is under way, nothing else may be written there. */
  readonly #responses = new WeakMap<Duplex, ServerResponse>()
  /** The number of requests of each connection that have no complete answer. */
  readonly #pipelined = new WeakMap<Socket, number>()
  /** The connections with a malformed request; the parser complains about each further piece, too. */
  readonly #malformed = new WeakSet<Duplex>()
  readonly #maxPipelined: number
  readonly #log: Logger
  readonly #explainForeign: FrontServerOptions['explainForeign']
  #closing = false

  constructor({ log, limits, onRequest, onUpgrade, explainForeign }: FrontServerOptions) {
    this.#explainForeign = explainForeign
    this.#log = log
    this.#pipelines = new TurnQueue(limits.pipelineBudgetMs)
    this.#maxPipelined = limits.maxPipelinedRequests
    this.#server = createServer({
      ServerResponse: Http1Response,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // Other upgrades, as to HTTP/2, are offers that a server may pass over.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    })
    this.#server.timeout = limits.idleTimeoutMs
    this.#server.on('request', (request, response) => {
      this.#track(request, response)
      if (!this.#isWithinPipeline(request.socket, response)) return
      const fault = settleHost(request)
      if (fault === undefined) return onRequest(request, response, request.socket)
      this.#logRefusal(request.socket, fault)
      // A proxy that passed it on may read further requests otherwise than the server does.
      answerWith(response.setHeader('connection', 'close'), 400, 'bad request')
    })
    this.#server.on('timeout', (socket) => this.#onIdle(socket))
    this.#server.on('upgrade', (request, socket, head) => {
      forgetHttp(socket)
      const fault = settleHost(request)
      if (fault === undefined) return onUpgrade(request, socket, head)
      this.#logRefusal(request.socket, fault)
      socket.on('error', () => {})
      closeWith(socket, 400, 'bad request')
    })
    this.#server.on('clientError', (error, socket) => this.#onClientError(error, socket))
    // A server checks for slow requests from this event on; this one never listens itself.
    this.#server.emit('listening')
    this.#http2 = new Http2Front({ log, limits, onRequest })
  }

  accept(socket: Socket): void {
    this.#sockets.add(socket)
    // Each request of a pipeline may wait for the end of its connection.
    socket.setMaxListeners(0)
    socket.once('close', () => this.#sockets.delete(socket))
    if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') this.#http2.accept(socket)
    else attachHttp(socket, this.#pipelines, () => this.#server.emit('connection', socket))
  }

  /** Lets requests under way finish, closes the connections that have none, and at the deadline all of them. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing = true
    this.#server.closeIdleConnections()
    this.#http2.close()
    const closed = Promise.all(
      [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    )
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, deadlineMs)
    await closed
    clearTimeout(timer)
    this.#server.close()
  }

  /** Closes an idle connection. A client may wait for its answer as long as it likes, but not let the server wait. */
  #onIdle(socket: Socket): void {
    const isWaiting = this.#responses.get(socket)?.req.complete === true && socket.writableLength === 0
    if (isWaiting) socket.setTimeout(this.#server.timeout)
    else socket.destroy()
  }

  #track(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.set(request.socket, response)
    if (this.#closing) response.setHeader('connection', 'close')
    response.once('close', () => {
      if (this.#responses.get(request.socket) === response) this.#responses.delete(request.socket)
      if (this.#closing) setImmediate(() => this.#server.closeIdleConnections())
    })
  }

  #isWithinPipeline(socket: Socket, response: ServerResponse): boolean {
    const count = (this.#pipelined.get(socket) ?? 0) + 1
    if (count > this.#maxPipelined) {
      if (!socket.destroyed)
        this.#log.info({ ...factsOf(socket), reason: 'too many requests at once' }, 'connection closed')
      socket.destroy()
      return false
    }
    this.#pipelined.set(socket, count)
    response.once('close', () => this.#pipelined.set(socket, (this.#pipelined.get(socket) ?? 1) - 1))
    return true
  }

  #logRefusal(socket: Socket, reason: string): void {
    this.#log.info({ ...factsOf(socket), reason }, 'connection closed')
  }

  #onClientError(error: ClientError, socket: Duplex): void {
    if (this.#malformed.has(socket)) return
    this.#malformed.add(socket)
    const { code = '', message, rawPacket } = error
    const statusCode = STATUS_BY_CODE[code] ?? 400
    const foreign = code === NO_REQUEST && rawPacket ? this.#explainForeign(rawPacket) : undefined
    const why = foreign ?? message
    // The error itself is not logged: it carries the bytes of the request, with any secrets in them.
    const facts = socket instanceof Socket ? { ...factsOf(socket), code } : { code }
    if (code === 'ECONNRESET') this.#log.debug(facts, 'connection reset')
    else this.#log.info({ ...facts, reason: statusCode === 408 ? TOO_SLOW : why }, 'connection closed')
    const response = this.#responses.get(socket)
    const busy = response !== undefined && response.headersSent && !response.writableFinished
    if (busy || code === 'ECONNRESET') socket.destroy()
    else closeWith(socket, statusCode, statusCode === 408 ? 'request timeout' : 'bad request')
  }
}

function factsOf(socket: Socket) {
  const { ip, port } = sessionClient(socket)
  return { ip, port, received: socket.bytesRead }
}
