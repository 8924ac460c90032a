import { Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { HttpConfig } from 'sluice/sdk'
import type { RoutedRequest } from 'sluice/sdk/http'
import { withoutQuery } from '../observe/logger.ts'
import { isPreflight, setCorsHeaders, type CorsPolicy } from './cors.ts'
import { createFastifyApp } from './fastify-app.ts'
import type { HttpLimits } from './front/limits.ts'
import { Http1Response } from './front/http1-response.ts'
import { TrustedProxies } from './proxy/trusted-proxies.ts'
import { closeWith } from './replies.ts'

export type HttpAppOptions = {
  readonly log: Logger
  readonly limits: HttpLimits
  readonly config: Pick<HttpConfig, 'cors' | 'trustproxy'>
  /** Another path that a client may mean where no route has the one it asked for. */
  readonly suggestPath?: (path: string) => string | undefined
  /** What holds where the config has `cors`. */
  readonly corsPolicy: CorsPolicy
}

/** A fastify instance with what it is answering: the core's own, or one generation of a plugin. */
export class HttpApp {
  readonly fastify: FastifyInstance
  readonly #log: Logger
  readonly #limits: HttpLimits
  readonly #open = new Set<ServerResponse | Duplex>()
  readonly #corsPolicy: CorsPolicy
  readonly #suggestPath: HttpAppOptions['suggestPath']
  #cors = false
  #proxies = new TrustedProxies([])

  constructor({ log, limits, config, corsPolicy, suggestPath }: HttpAppOptions) {
    this.#log = log
    this.#limits = limits
    this.#corsPolicy = corsPolicy
    this.fastify = createFastifyApp({
      log,
      limits,
      cors: () => this.#cors,
      notFound: (request) => this.#notFound(request),
    })
    this.#suggestPath = suggestPath
    this.configure(config)
  }

  /** Takes over what a changed config says of requests that come from now on. */
  configure({ cors, trustproxy }: HttpAppOptions['config']): void {
    this.#cors = cors
    this.#proxies = new TrustedProxies(trustproxy)
  }

  /** Requests and WebSockets that have not ended. */
  get openRequests(): number {
    return this.#open.size
  }

  handle(request: RoutedRequest, response: ServerResponse): void {
    this.#follow(response)
    this.#askProxy(request)
    if (this.#log.isLevelEnabled('debug')) this.#logWhenDone(request, response)
    if (this.#cors) setCorsHeaders(this.#corsPolicy, request, response)
    if (this.#cors && isPreflight(request)) response.writeHead(200, { 'content-length': 0 }).end()
    else this.fastify.server.emit('request', request, response)
  }

  /**
   * Hands a WebSocket request to the `upgrade` listeners. One that answers later returns a promise, and is waited for;
   * when nobody answers, the request is refused.
   */
  upgrade(request: RoutedRequest, socket: Duplex, head: Buffer): void {
    this.#follow(socket)
    this.#askProxy(request)
    const path = withoutQuery(request.originalUrl ?? '')
    socket.on('error', (err) => this.#log.debug({ path, reason: err.message }, 'WebSocket connection failed'))
    const fail = (err: unknown): void => {
      this.#log.error({ err, path }, 'WebSocket request failed')
      closeWith(socket, 500, 'internal error')
    }
    const listeners = this.fastify.server.rawListeners('upgrade')
    if (listeners.length === 0) {
      closeWith(socket, 404, this.#notFound(request))
      return
    }
    if (socket instanceof Socket) socket.setTimeout(0)
    const writtenBytes = bytesWritten(socket)
    const unanswered = () => !socket.destroyed && bytesWritten(socket) === writtenBytes
    const answering: Promise<unknown>[] = []
    for (const listener of listeners) {
      try {
        const result: unknown = Reflect.apply(listener, this.fastify.server, [request, socket, head])
        if (result instanceof Promise) answering.push(result.catch(fail))
      } catch (err) {
        fail(err)
      }
    }
    void this.#expectAnswer(socket, unanswered, answering)
  }

  /** Ends what is open, but for answers that only have to be sent, and runs the `onClose` hooks of the app. */
  async close(): Promise<void> {
    for (const item of this.#open) {
      if (item instanceof Duplex || !item.writableEnded) item.destroy()
    }
    await this.fastify.close()
  }

  #notFound({ originalUrl = '' }: RoutedRequest): string {
    const suggested = this.#suggestPath?.(originalUrl.split('?', 1)[0] ?? '')
    return suggested === undefined ? 'not found' : `not found; did you mean ${suggested}?`
  }

  #askProxy(request: RoutedRequest): void {
    const forwarded = this.#proxies.forwarded(request)
    if (forwarded !== undefined) request.forwarded = forwarded
  }

  #follow(item: ServerResponse | Duplex): void {
    this.#open.add(item)
    item.once('close', () => {
      this.#open.delete(item)
      if (item instanceof Http1Response && item.given !== null) this.#follow(item.given)
    })
  }

  async #expectAnswer(socket: Duplex, unanswered: () => boolean, answering: Promise<unknown>[]): Promise<void> {
    await Promise.all(answering)
    if (!unanswered()) return
    const timer = setTimeout(() => {
      if (unanswered()) closeWith(socket, 404, 'not found')
    }, this.#limits.upgradeTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
  }

  #logWhenDone(request: RoutedRequest, response: ServerResponse): void {
    const startMs = performance.now()
    const { method } = request
    const path = withoutQuery(request.originalUrl ?? '')
    response.once('close', () => {
      const tookMs = Math.round(performance.now() - startMs)
      this.#log.debug({ method, path, status: response.statusCode, tookMs }, 'request')
    })
  }
}

function bytesWritten(socket: Duplex): number {
  return socket instanceof Socket ? socket.bytesWritten : 0
}
