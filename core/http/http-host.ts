import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { HttpConfig, TcpListener } from 'sluice/sdk'
import { OperationRoutes } from 'sluice/sdk/host'
import type { RoutedRequest } from 'sluice/sdk/http'
import { ProcessIds } from '../base/process-ids.ts'
import type { ListenerLease } from '../net/listener-lease.ts'
import type { ListenerPool } from '../net/listener-pool.ts'
import { withoutQuery } from '../observe/logger.ts'
import {
  ADMINISTRATION,
  SERVER_WORK,
  type Claim,
  type Exchange,
  type PeerAnswer,
  type PeerCall,
  type Peers,
} from '../peers/peers.ts'
import { SingleProcess } from '../peers/single-process.ts'
import { explainForeign, type ForeignProtocol } from './front/foreign-protocol.ts'
import { FrontServer } from './front/front-server.ts'
import { HTTP_LIMITS, type HttpLimits } from './front/limits.ts'
import { AnswerWatches, type AnswerWatch } from './answer-watch.ts'
import { appFor, assertFree } from './administration.ts'
import { AskedPeers } from './asked-peers.ts'
import { HandedRequests, type Elsewhere } from './handed-requests.ts'
import { HEALTH_PATH } from './health.ts'
import { MEDIA_CORS, READING_CORS } from './cors.ts'
import { Guard, type LoginCheck } from './guard.ts'
import { HttpApp } from './http-app.ts'
import type { HttpMeters } from './http-meters.ts'
import { OpenedPages } from './opened-pages.ts'
import { ADMIN_MOUNTS, MountTable, SHARED_MOUNTS, SHARED_PATH, type Mounts } from './mount-table.ts'
import { answerCall } from './peer-call.ts'
import { PluginHttp } from './plugin-http.ts'
import { answerWith, closeWith } from './replies.ts'
import type { RoutesOfOwner } from './routes-of-owner.ts'
import { isNowhere, ServerListeners, tcpConfigOf, type ListenKeys, type ServerHttpConfig } from './server-listeners.ts'
import { requestIdOf } from './request-id.ts'
import { SessionTokens } from './session-tokens.ts'
import { originForm, splitMount } from './request-path.ts'

export type HttpHostOptions = {
  readonly log: Logger
  readonly pool: ListenerPool
  readonly config: ServerHttpConfig
  readonly limits?: Partial<HttpLimits>
  readonly meters?: HttpMeters
  /** Returns another path that a client may mean where no route has the one it asked for. */
  readonly suggestPath?: (path: string) => string | undefined
  /** The protocols of plugins, for clients that speak one on a port of HTTP; none unless given. */
  readonly foreign?: () => readonly ForeignProtocol[]
  /** This process and the others; there are no others unless given. */
  readonly peers?: Peers
  /** Identifies the users that log in; without it, there is no login. */
  readonly login?: LoginCheck
}

export type PluginOptions = Mounts & {
  /** The plugin's effective config: where its addresses differ from the server's, the plugin listens on its own. */
  readonly config: HttpConfig
  readonly log: Logger
}

/** The app that answers a request, and the URL that it sees; a status where no app does. */
type OwnRoute =
  | { readonly app: HttpApp; readonly url: string }
  | { readonly statusCode: number; readonly message: string }
type Route = OwnRoute | Elsewhere

/**
 * The one HTTP server: the core's routes, administration, and each plugin's routes below its prefixes. Administration may
 * have addresses of its own; these answer everything, and all other addresses then answer no administration.
 */
export class HttpHost {
  /** The server's own operations, to be added before `start`. */
  readonly operations: OperationRoutes
  readonly #log: Logger
  readonly #pool: ListenerPool
  readonly #limits: HttpLimits
  readonly #front: FrontServer
  readonly #core: HttpApp
  readonly #admin: HttpApp
  /** Admits clients to the administration. */
  readonly guard: Guard
  /** The requests to addresses that answer no administration, as it has addresses of its own. */
  readonly #withoutAdministration = new WeakSet<RoutedRequest>()
  readonly #table = new MountTable<PluginHttp>()
  readonly #pages = new OpenedPages(() => this.#table.active())
  /** The ids of the plugins' generations, which tokens carry. */
  readonly #ids: ProcessIds
  readonly #tokens: SessionTokens
  readonly #peers: Peers
  readonly #handed: HandedRequests
  /** The claim on the work that one process of the server alone does. */
  #claim: Claim | undefined
  /** The owners of connections to separate addresses: the name of the plugin, or {@link ADMINISTRATION}. */
  readonly #ownSockets = new WeakMap<Socket, string>()
  readonly #listeners: ServerListeners
  readonly #watches: AnswerWatches
  /** Follows the answers of the core's app, and refusals before any app. */
  readonly #answers: AnswerWatch
  #config: ServerHttpConfig
  #started = false

  constructor(options: HttpHostOptions) {
    const { log, pool, config, limits, suggestPath, foreign = () => [], login, peers = new SingleProcess() } = options
    this.#log = log
    this.#watches = new AnswerWatches(log, options.meters)
    this.#answers = this.#watches.of('server', log)
    this.#pool = pool
    this.#config = config
    this.#limits = { ...HTTP_LIMITS, ...limits }
    this.#peers = peers
    this.#ids = new ProcessIds(peers.node.process)
    this.#tokens = new SessionTokens(peers.tokenKey)
    this.#handed = new HandedRequests({
      log,
      peers,
      tokens: this.#tokens,
      hasRoute: (url) => this.#hasRoute(url),
      take: (exchange) => this.#take(exchange),
      refuse: (exchange, statusCode, message) => this.#refuse(exchange, statusCode, message),
    })
    this.guard = new Guard({ login, isClosed: (request) => this.#withoutAdministration.has(request) })
    const common = { log, limits: this.#limits, config: config.http, corsPolicy: READING_CORS }
    const suggesting = suggestPath && { suggestPath }
    this.#core = new HttpApp({ ...common, answers: this.#answers, openPath: HEALTH_PATH, ...suggesting })
    const answers = this.#watches.ofAdministration(log)
    this.#admin = new HttpApp({ ...common, answers, guard: this.guard, pages: this.#pages, hidesUnknown: true })
    this.operations = new OperationRoutes({
      targetOf: () => this.#admin,
      peers: new AskedPeers({ log, peers }),
    })
    this.#listeners = new ServerListeners({
      pool,
      onConnection: (socket) => this.#front.accept(socket),
      onAdminConnection: (socket) => this.#accept(socket, ADMINISTRATION),
    })
    this.#front = new FrontServer({
      log,
      limits: this.#limits,
      onRequest: (request, response, socket) => this.#handle(request, response, socket),
      explainForeign: (firstBytes) => explainForeign(firstBytes, this.addresses, foreign()),
      onUpgrade: (request, socket, head) => this.#upgrade(request, socket, head),
    })
  }

  /** The fastify instance for the core's own routes, to be added before `start`. */
  get core(): FastifyInstance {
    return this.#core.fastify
  }

  /** The fastify instance for the routes of administration, to be added before `start`. */
  get admin(): FastifyInstance {
    return this.#admin.fastify
  }

  /** The addresses of the server; empty before `start`. */
  get addresses(): TcpListener['addresses'] {
    return this.#listeners.addresses
  }

  /** The addresses of administration alone; empty where it has none of its own. */
  get adminAddresses(): TcpListener['addresses'] {
    return this.#listeners.adminAddresses
  }

  /** @throws {ListenError} when an address can't be bound */
  async start(): Promise<void> {
    await this.core.ready()
    await this.admin.ready()
    await this.#listeners.listen(this.#config)
    this.#started = true
    this.#claim = this.#peers.claim(SERVER_WORK, () => {})
    this.#peers.serve({
      answer: (call, signal) => this.#answer(call, signal),
      take: (exchange) => this.#take(exchange),
      hasRoute: (url) => this.#hasRoute(url),
    })
  }

  /**
   * Prepares the HTTP side of a plugin's generation, which gets no requests before `activate`.
   * @throws {Error} when a prefix is taken
   * @throws {ListenError} when an address of its own can't be bound
   */
  async createPluginHttp({ name, mounts, config, log }: PluginOptions): Promise<PluginHttp> {
    const common = { log, limits: this.#limits, config, guard: this.guard, pages: this.#pages }
    const plugin = new PluginHttp({
      plugin: {
        name,
        mounts,
      },
      app: new HttpApp({
        ...common,
        answers: this.#watches.of(name, log),
        corsPolicy: MEDIA_CORS,
      }),
      createAdministration: () => {
        const answers = this.#watches.ofAdministration(log)
        return new HttpApp({
          ...common,
          answers,
          corsPolicy: READING_CORS,
          hidesUnknown: true,
        })
      },
      claim: (claimant, spelling) => assertFree(spelling, claimant, [...this.#table], this.#admin),
      table: this.#table,
      ids: this.#ids,
      tokens: this.#tokens,
      peers: new AskedPeers({
        log,
        peers: this.#peers,
        plugin: name,
      }),
    })
    try {
      this.#table.claim(plugin)
      const own = this.#ownAddresses(config)
      if (!isNowhere(own)) plugin.listenOn(await this.#acquireOwn(name, own))
    } catch (error) {
      await plugin.dispose()
      throw error
    }
    return plugin
  }

  /** The operations of the server and of the plugins that run, each with the mounts of its owner. */
  operationsByOwner(): readonly RoutesOfOwner[] {
    const ofPlugins = this.#table.active().map(({ name, mounts, operations, app, administration }) => {
      return { plugin: name, mounts, operations, routes: [...app.routes, ...(administration?.routes ?? [])] }
    })
    return [{ mounts: [], operations: this.operations, routes: this.#admin.routes }, ...ofPlugins]
  }

  /**
   * Takes over changed addresses and rules.
   * @throws {ListenError} when a new address can't be bound; the server then goes on as it was
   */
  async applyConfig(config: ServerHttpConfig): Promise<void> {
    if (this.#started) await this.#listeners.listen(config)
    this.#config = config
    this.#core.configure(config.http)
    this.#admin.configure(config.http)
  }

  /** Stops accepting, lets open requests finish until the deadline, then ends them. */
  async close(deadlineMs: number): Promise<void> {
    this.#claim?.release()
    await this.#listeners.release()
    await this.#front.close(deadlineMs)
    await Promise.all([...this.#table].map((plugin) => plugin.dispose()))
    await this.#core.close()
    await this.#admin.close()
  }

  #acquireOwn(name: string, config: ListenKeys): Promise<ListenerLease> {
    // The plugin's name alone would not do, as it stands for the ports of its own protocol.
    return this.#pool.acquire({ plugin: `${name} http` }, tcpConfigOf(`${name}.http`, config), (socket) =>
      this.#accept(socket, name),
    )
  }

  #accept(socket: Socket, owner: string): void {
    this.#ownSockets.set(socket, owner)
    this.#front.accept(socket)
  }

  #ownAddresses(config: HttpConfig): ListenKeys {
    const { listenaddr, listenaddrtls } = this.#config.http
    return {
      ...config,
      listenaddr: config.listenaddr === listenaddr ? '' : config.listenaddr,
      listenaddrtls: config.listenaddrtls === listenaddrtls ? '' : config.listenaddrtls,
    }
  }

  /** @param handed the exchange, when another process has handed the request on to this one */
  #handle(request: RoutedRequest, response: ServerResponse, connection: Socket, handed?: Exchange): void {
    const route = this.#route(request, connection, handed)
    if ('app' in route) {
      request.url = route.url
      route.app.handle(request, response)
      return
    }
    if ('elsewhere' in route) void this.#handed.handOn(route, { request, response })
    else this.#refuse({ request, response }, route.statusCode, route.message)
  }

  #upgrade(request: RoutedRequest, socket: Duplex, head: Buffer, handed?: Exchange): void {
    const route = this.#route(request, request.socket, handed)
    if ('app' in route) {
      request.url = route.url
      route.app.upgrade(request, socket, head)
      return
    }
    if ('elsewhere' in route) void this.#handed.handOn(route, { request, socket, head })
    else this.#refuse({ request, socket, head }, route.statusCode, route.message)
  }

  #refuse(exchange: Exchange, statusCode: number, message: string): void {
    const request: RoutedRequest = exchange.request
    if ('response' in exchange) {
      this.#answers.follow(request, exchange.response)
      answerWith(exchange.response, statusCode, message)
      return
    }
    const { socket } = exchange
    socket.on('error', (err) => this.#log.debug({ reason: err.message }, 'refused connection failed'))
    this.#answers.followUpgrade(request, socket).refused(statusCode)
    closeWith(socket, statusCode, message, request.id)
  }

  /** Answers a request that another process has handed on. */
  #take(exchange: Exchange): void {
    const { request } = exchange
    if ('response' in exchange) this.#handle(request, exchange.response, request.socket, exchange)
    else this.#upgrade(request, exchange.socket, exchange.head, exchange)
  }

  #answer(call: PeerCall, signal: AbortSignal): Promise<PeerAnswer> {
    const owned = this.operationsByOwner().find(({ plugin }) => plugin === call.plugin)
    const entry = owned?.operations.entries.find(({ operation: { method, path } }) => {
      return method === call.method && path === call.path
    })
    return answerCall(this.#log, entry?.operation, call, signal)
  }

  #route(request: RoutedRequest, connection: Socket, handed: Exchange | undefined): Route {
    const url = originForm(request.url ?? '/')
    request.originalUrl = url
    request.id = requestIdOf(request.headers)
    if (url.length > this.#limits.maxUrlLength) return { statusCode: 414, message: 'URL too long' }
    const address = handed === undefined ? this.#ownSockets.get(connection) : handed.address
    const mayBeElsewhere = handed === undefined && this.#handed.hasOthers
    return (mayBeElsewhere ? this.#handed.find(url, address) : undefined) ?? this.#routeHere(request, url, address)
  }

  #hasRoute(url: string): boolean {
    const { mount } = splitMount(url)
    if (!ADMIN_MOUNTS.has(mount) && this.#table.ownerOf(mount) !== undefined) return true
    const path = withoutQuery(url)
    return [this.#core, ...this.#administrations()].some((app) => app.rankOf(path) !== undefined)
  }

  /** @param owner the plugin, or administration, whose own address the request came to; undefined for the server's */
  #routeHere(request: RoutedRequest, url: string, owner: string | undefined): OwnRoute {
    const { mount, rest } = splitMount(url)
    const own = owner === ADMINISTRATION ? undefined : owner
    request.administered = owner === ADMINISTRATION || (own === undefined && !this.#listeners.hasAdmin)
    if (this.#listeners.hasAdmin && owner !== ADMINISTRATION) this.#withoutAdministration.add(request)
    if (own === undefined && (ADMIN_MOUNTS.has(mount) || this.#isShared({ mount, rest }, url))) {
      if (request.administered) return { app: appFor(request, url, this.#admin, this.#table.active()), url }
      return { statusCode: 404, message: 'not found' }
    }
    const former = this.#formerFor(url, mount, own)
    if (former !== undefined) return { app: former.app, url: former.mounts.includes(mount) ? rest : url }
    const mounted = this.#table.ownerOf(mount)
    const name = own ?? mounted
    if (name === undefined) return { app: this.#core, url }
    const plugin = this.#table.activeOf(name)
    if (!plugin) return { statusCode: 503, message: 'the plugin is not running' }
    return mounted === name ? plugin.routeBelowMount(url, rest) : { app: plugin.app, url }
  }

  /** True for a path below a prefix of plugins that is one of the administration all the same. */
  #isShared({ mount, rest }: ReturnType<typeof splitMount>, url: string): boolean {
    const path = withoutQuery(url)
    if (SHARED_MOUNTS.has(mount)) return this.#administrations().some((app) => app.rankOf(path) !== undefined)
    return rest.startsWith(SHARED_PATH) && this.#admin.rankOf(path) !== undefined
  }

  /** The apps of absolute paths: the server's, and those of the plugins that run. */
  #administrations(): HttpApp[] {
    return [this.#admin, ...this.#table.active().flatMap(({ administration }) => administration ?? [])]
  }

  /**
   * The generation that a token in the address names, where it takes only requests of its sessions: requests of all others go
   * to the newest in any case.
   * @param own the plugin whose own address the request came to
   */
  #formerFor(url: string, mount: string, own: string | undefined): PluginHttp | undefined {
    if (!this.#table.hasRetired) return undefined
    const id = this.#tokens.ownerIn(url)
    const former = id === undefined ? undefined : this.#table.retired(id)
    const isAsked = own === undefined ? former?.mounts.includes(mount) : former?.name === own
    return isAsked === true ? former : undefined
  }
}
