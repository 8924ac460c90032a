import { Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { StreamNotFound, type HttpConfig } from 'sluice/sdk'
import { errorReply, SocketTable } from 'sluice/sdk/host'
import type { RoutedRequest } from 'sluice/sdk/http'
import { withoutQuery } from '../observe/logger.ts'
import { BasicAuth, CHALLENGE } from './basic-auth.ts'
import { loggedPath, type AnswerWatch } from './answer-watch.ts'
import { isPreflight, READING_CORS, setCorsHeaders, type CorsPolicy } from './cors.ts'
import { createFastifyApp } from './fastify-app.ts'
import { Http1Response } from './front/http1-response.ts'
import type { HttpLimits } from './front/limits.ts'
import type { Guard, RouteRule } from './guard.ts'
import type { OpenedPages } from './opened-pages.ts'
import { TrustedProxies } from './proxy/trusted-proxies.ts'
import { closeWith } from './replies.ts'
import { RouteTable } from './route-table.ts'

export type HttpAppOptions = {
  readonly log: Logger
  readonly limits: HttpLimits
  readonly config: Pick<HttpConfig, 'cors' | 'trustproxy' | 'username' | 'password' | 'accesslog'>
  readonly answers: AnswerWatch
  /** Returns another path that a client may mean where no route has the one it asked for. */
  readonly suggestPath?: (path: string) => string | undefined
  /** The policy that holds where the config has `cors`. */
  readonly corsPolicy: CorsPolicy
  /** Checks requests for routes that are not public; without a guard, all routes are public. */
  readonly guard?: Guard
  /** The pages that browsers are shown in place of the answers of guarded routes; none unless given. */
  readonly pages?: Pick<OpenedPages, 'wayFrom'>
  /** True when the guard also checks requests that no route matches. Default false. */
  readonly hidesUnknown?: boolean
  /** A path that is answered without HTTP Basic, too. */
  readonly openPath?: string
}

type UpgradeArguments = [request: RoutedRequest, socket: Duplex, head: Buffer]
/** The answers to an upgrade that no listener takes, and to one that fails. */
type Refusals = {
  readonly refuse: (statusCode: number, message: string) => void
  readonly fail: (reason: unknown) => void
}
type UpgradeListener = (...args: UpgradeArguments) => unknown

/** A fastify instance with the requests that it is answering: the core's own, or one generation of a plugin. */
export class HttpApp {
  readonly fastify: FastifyInstance
  readonly routes = new RouteTable()
  readonly sockets = new SocketTable()
  readonly #log: Logger
  readonly #limits: HttpLimits
  readonly #open = new Set<ServerResponse | Duplex>()
  readonly #corsPolicy: CorsPolicy
  readonly #suggestPath: HttpAppOptions['suggestPath']
  readonly #guard: Guard | undefined
  readonly #hidesUnknown: boolean
  readonly #openPath: string | undefined
  readonly #answers: AnswerWatch
  #cors = false
  #proxies = new TrustedProxies([])
  #basicAuth = new BasicAuth({ username: '', password: '' })

  constructor(options: HttpAppOptions) {
    const {
      log,
      limits,
      config,
      answers,
      corsPolicy,
      suggestPath,
      guard,
      pages,
      hidesUnknown = false,
      openPath,
    } = options
    this.#log = log
    this.#answers = answers
    this.#limits = limits
    this.#corsPolicy = corsPolicy
    this.#guard = guard
    this.#hidesUnknown = hidesUnknown
    this.#openPath = openPath
    this.fastify = createFastifyApp({
      log,
      limits,
      cors: () => this.#cors,
      routes: this.routes,
      admit: (request, rule, response) => this.#admit(request, rule, response),
      pageFor: ({ originalUrl = '' }) => pages?.wayFrom(originalUrl),
      notFound: (request) => this.#notFound(request),
    })
    this.#suggestPath = suggestPath
    this.configure(config)
  }

  /** Takes over a changed config for requests that come from now on. */
  configure({ cors, trustproxy, username, password, accesslog }: HttpAppOptions['config']): void {
    this.#cors = cors
    this.#answers.logsAll = accesslog
    this.#proxies = new TrustedProxies(trustproxy)
    this.#basicAuth = new BasicAuth({ username, password })
  }

  /** The number of requests and WebSockets that have not ended. */
  get openRequests(): number {
    return this.#open.size
  }

  /** Returns true when the app has a route or a WebSocket at a pattern, which may name its parameters differently. */
  has(method: string, pattern: string): boolean {
    return this.routes.has(method, pattern) || (method === 'GET' && this.sockets.has(pattern))
  }

  /**
   * Returns the rank of the app's closest route for a path, to be compared as text: the less, the closer; undefined where it
   * has no route.
   * @param method any unless given
   */
  rankOf(path: string, method?: string): string | undefined {
    return this.routes.rankOf(path, method) ?? (this.sockets.find(path) && 'z')
  }

  handle(request: RoutedRequest, response: ServerResponse): void {
    this.#follow(response)
    this.#askProxy(request)
    this.#answers.follow(request, response)
    if (this.#cors) setCorsHeaders(this.#corsPolicy, request, response)
    if (this.#cors && isPreflight(request)) return void response.writeHead(200, { 'content-length': 0 }).end()
    try {
      this.#askBasic(request)
    } catch (reason) {
      return refuseRequest(response, reason)
    }
    this.fastify.server.emit('request', request, response)
  }

  /**
   * Hands a WebSocket request to the operation of its path or, where there is none, to the `upgrade` listeners. A listener
   * that answers later returns a promise, which is waited for; when none answers, the request is refused.
   */
  upgrade(request: RoutedRequest, socket: Duplex, head: Buffer): void {
    this.#follow(socket)
    this.#askProxy(request)
    const answer = this.#answers.followUpgrade(request, socket)
    const path = loggedPath(request)
    const requestId = request.id
    const refuse = (statusCode: number, message: string) => {
      answer.refused(statusCode)
      closeWith(socket, statusCode, message, requestId)
    }
    socket.on('error', (err) => this.#log.debug({ path, reason: err.message }, 'WebSocket connection failed'))
    const fail = (err: unknown): void => {
      const { statusCode, body, unexpected } = errorReply(err)
      if (unexpected) this.#log.error({ err, path, requestId }, 'WebSocket request failed')
      else this.#log.debug({ reason: body.message, path, requestId }, 'WebSocket request refused')
      refuse(statusCode, body.message)
    }
    if (socket instanceof Socket) socket.setTimeout(0)
    void this.#answerUpgrade([request, socket, head], { fail, refuse })
  }

  /** Ends open requests, but for answers that only have to be sent, and runs the `onClose` hooks of the app. */
  async close(): Promise<void> {
    for (const item of this.#open) {
      if (item instanceof Duplex || !item.writableEnded) item.destroy()
    }
    await this.fastify.close()
  }

  /** Answers an upgrade. Bytes that the client sends meanwhile stay in its socket, which has no reader yet. */
  async #answerUpgrade([request, socket, head]: UpgradeArguments, { fail, refuse }: Refusals): Promise<void> {
    const writtenBytes = bytesWritten(socket)
    const unanswered = () => !socket.destroyed && bytesWritten(socket) === writtenBytes
    const answering: Promise<unknown>[] = []
    try {
      const listeners = await this.#admittedListeners(request)
      if (socket.destroyed) return
      for (const listener of listeners) {
        try {
          const result = listener(request, socket, head)
          if (result instanceof Promise) answering.push(result.catch(fail))
        } catch (err) {
          fail(err)
        }
      }
    } catch (reason) {
      fail(reason)
    }
    await this.#expectAnswer(socket, unanswered, answering, () => refuse(404, 'not found'))
  }

  /** @throws {SluiceError} when there is no listener, or the client may not use it */
  async #admittedListeners(request: RoutedRequest): Promise<readonly UpgradeListener[]> {
    this.#askBasic(request)
    const { url = '/' } = request
    const operation = this.sockets.find(url)
    const { server } = this.fastify
    const listeners = operation
      ? [(...args: UpgradeArguments) => operation.open(...args)]
      : server.rawListeners('upgrade').map((listener): UpgradeListener => {
          return (...args) => Reflect.apply(listener, server, args) as unknown
        })
    if (listeners.length === 0) {
      await this.#admit(request, undefined)
      throw new StreamNotFound(this.#notFound(request))
    }
    const access = operation?.access ?? this.routes.upgradeAccess(withoutQuery(url))
    await this.#admit(request, { access, changes: true })
    return listeners
  }

  /** @param rule undefined where the app has no route */
  #admit(request: RoutedRequest, rule: RouteRule | undefined, response?: ServerResponse): Promise<void> | undefined {
    if (this.#guard === undefined || (rule === undefined && !this.#hidesUnknown)) return undefined
    if (response && this.#cors && this.#corsPolicy !== READING_CORS) {
      for (const [name] of this.#corsPolicy.headers) response.removeHeader(name)
      setCorsHeaders(READING_CORS, request, response)
    }
    return this.#guard.admit(request, rule ?? { access: 'user', changes: false }, response)
  }

  #askBasic(request: RoutedRequest): void {
    if (this.#openPath === undefined || withoutQuery(request.url ?? '') !== this.#openPath)
      this.#basicAuth.admit(request)
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

  async #expectAnswer(
    socket: Duplex,
    unanswered: () => boolean,
    answering: Promise<unknown>[],
    refuse: () => void,
  ): Promise<void> {
    await Promise.all(answering)
    if (!unanswered()) return
    const timer = setTimeout(() => {
      if (unanswered()) refuse()
    }, this.#limits.upgradeTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** Answers with an error before a route is looked for. */
function refuseRequest(response: ServerResponse, reason: unknown): void {
  const { statusCode, headers, body } = errorReply(reason)
  const challenge = statusCode === 401 ? CHALLENGE : {}
  const type = { 'content-type': 'application/json; charset=utf-8' }
  response.writeHead(statusCode, { ...headers, ...type, ...challenge }).end(JSON.stringify(body))
}

function bytesWritten(socket: Duplex): number {
  return socket instanceof Socket ? socket.bytesWritten : 0
}
