import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { HttpConfig, TcpListener } from 'sluice/sdk'
import type { RoutedRequest } from 'sluice/sdk/http'
import type { ListenerLease } from '../net/listener-lease.ts'
import type { ListenerPool } from '../net/listener-pool.ts'
import { FrontServer } from './front/front-server.ts'
import { HTTP_LIMITS, type HttpLimits } from './front/limits.ts'
import { HttpApp } from './http-app.ts'
import { MountTable, type Mounted } from './mount-table.ts'
import { PluginHttp } from './plugin-http.ts'
import { closeWith, ERROR_HEADERS, failure } from './replies.ts'
import { originForm, splitMount } from './request-path.ts'

export type HttpHostOptions = {
  readonly log: Logger
  readonly pool: ListenerPool
  /** `global.http`. */
  readonly config: HttpConfig
  readonly limits?: Partial<HttpLimits>
}

export type PluginHttpOptions = Mounted & {
  /** The plugin's effective config: where it differs from the server's, the plugin gets addresses of its own. */
  readonly config: HttpConfig
  readonly log: Logger
}

/** Who answers a request, and the URL they see; a status where nobody does. */
type Route = { readonly app: HttpApp; readonly url: string } | { readonly statusCode: number; readonly message: string }

/** What is spoken on the TLS addresses, the preferred first. */
const ALPN = ['h2', 'http/1.1']
/** Holds the server's own addresses; no plugin can have this name. */
const SERVER = 'the server'

type ListenKeys = Pick<HttpConfig, 'listenaddr' | 'listenaddrtls' | 'certfile' | 'keyfile'>

/** The one HTTP server: the core's routes, and each plugin's below its prefixes. */
export class HttpHost {
  readonly #log: Logger
  readonly #pool: ListenerPool
  readonly #limits: HttpLimits
  readonly #front: FrontServer
  readonly #core: HttpApp
  readonly #table = new MountTable<PluginHttp>()
  /** Connections to a plugin's own address, with the plugin's name. */
  readonly #ownSockets = new WeakMap<Socket, string>()
  #config: HttpConfig
  #lease: ListenerLease | null = null

  constructor({ log, pool, config, limits }: HttpHostOptions) {
    this.#log = log
    this.#pool = pool
    this.#config = config
    this.#limits = { ...HTTP_LIMITS, ...limits }
    this.#core = new HttpApp({ log, limits: this.#limits, config })
    this.#front = new FrontServer({
      log,
      limits: this.#limits,
      onRequest: (request, response, socket) => this.#handle(request, response, socket),
      onUpgrade: (request, socket, head) => this.#upgrade(request, socket, head),
    })
  }

  /** For the core's own routes, to be added before `start`. */
  get core(): FastifyInstance {
    return this.#core.fastify
  }

  /** Where the server listens; empty before `start`. */
  get addresses(): TcpListener['addresses'] {
    return this.#lease?.addresses ?? []
  }

  /** @throws {ListenError} when an address can't be bound */
  async start(): Promise<void> {
    await this.core.ready()
    await this.#listen(this.#config)
  }

  /**
   * Prepares the HTTP side of a plugin's generation; nothing reaches it before `activate`.
   * @throws {Error} when a prefix is taken
   * @throws {ListenError} when an address of its own can't be bound
   */
  async createPluginHttp({ name, mounts, config, log }: PluginHttpOptions): Promise<PluginHttp> {
    const app = new HttpApp({ log, limits: this.#limits, config })
    const plugin = new PluginHttp({ name, mounts }, app, this.#table)
    this.#table.claim(plugin)
    try {
      const own = this.#ownAddresses(config)
      if (own.listenaddr !== '' || own.listenaddrtls !== '') plugin.listenOn(await this.#acquireOwn(name, own))
    } catch (error) {
      await plugin.dispose()
      throw error
    }
    return plugin
  }

  /**
   * Takes over a changed `global.http`.
   * @throws {ListenError} when a new address can't be bound; the server then goes on as it was
   */
  async applyConfig(config: HttpConfig): Promise<void> {
    if (this.#lease && !sameListeners(config, this.#config)) await this.#listen(config)
    this.#config = config
    this.#core.configure(config)
  }

  /** Stops accepting, lets open requests finish until the deadline, then ends them. */
  async close(deadlineMs: number): Promise<void> {
    await this.#lease?.release()
    await this.#front.close(deadlineMs)
    await Promise.all([...this.#table].map((plugin) => plugin.dispose()))
    await this.#core.close()
  }

  async #listen(config: HttpConfig): Promise<void> {
    const accept = (socket: Socket) => this.#front.accept(socket)
    const lease = await this.#pool.acquire({ plugin: SERVER }, tcpConfigOf('global.http', config), accept)
    try {
      await lease.bind()
    } catch (error) {
      await lease.release()
      throw error
    }
    lease.activate()
    const before = this.#lease
    this.#lease = lease
    await before?.release()
  }

  #acquireOwn(name: string, config: ListenKeys): Promise<ListenerLease> {
    // Not the plugin's name alone, which stands for its own protocol's ports.
    return this.#pool.acquire({ plugin: `${name} http` }, tcpConfigOf(`${name}.http`, config), (socket) => {
      this.#ownSockets.set(socket, name)
      this.#front.accept(socket)
    })
  }

  #ownAddresses(config: HttpConfig): ListenKeys {
    const { listenaddr, listenaddrtls } = this.#config
    return {
      ...config,
      listenaddr: config.listenaddr === listenaddr ? '' : config.listenaddr,
      listenaddrtls: config.listenaddrtls === listenaddrtls ? '' : config.listenaddrtls,
    }
  }

  #handle(request: RoutedRequest, response: ServerResponse, connection: Socket): void {
    const route = this.#route(request, connection)
    if ('app' in route) {
      request.url = route.url
      route.app.handle(request, response)
      return
    }
    const body = JSON.stringify(failure(route.statusCode, route.message))
    const headers = { ...ERROR_HEADERS, 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(route.statusCode, headers).end(body)
  }

  #upgrade(request: RoutedRequest, socket: Duplex, head: Buffer): void {
    const route = this.#route(request, request.socket)
    if ('app' in route) {
      request.url = route.url
      route.app.upgrade(request, socket, head)
      return
    }
    socket.on('error', (err) => this.#log.debug({ reason: err.message }, 'refused connection failed'))
    closeWith(socket, route.statusCode, route.message)
  }

  #route(request: RoutedRequest, connection: Socket): Route {
    const url = originForm(request.url ?? '/')
    request.originalUrl = url
    if (url.length > this.#limits.maxUrlLength) return { statusCode: 414, message: 'URL too long' }
    const { mount, rest } = splitMount(url)
    const mounted = this.#table.ownerOf(mount)
    const own = this.#ownSockets.get(connection)
    const name = own ?? mounted
    if (name === undefined) return { app: this.#core, url }
    const plugin = this.#table.activeOf(name)
    if (!plugin) return { statusCode: 503, message: 'the plugin is not running' }
    return { app: plugin.app, url: mounted === name ? rest : url }
  }
}

function sameListeners(a: HttpConfig, b: HttpConfig): boolean {
  const keys = ['listenaddr', 'listenaddrtls', 'certfile', 'keyfile'] as const
  return keys.every((key) => a[key] === b[key])
}

function tcpConfigOf(section: string, { listenaddr, listenaddrtls, certfile, keyfile }: ListenKeys) {
  return { section, listenaddr, listenaddrtls, certfile, keyfile, nodelay: true, keepalive: true, alpn: ALPN }
}
