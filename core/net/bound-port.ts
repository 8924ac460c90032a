import { errorCode, LogLimit } from 'sluice/sdk'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Logger } from 'pino'
import type { AcceptLimits } from './accept-limits.ts'
import type { ListenAddress } from './address.ts'
import type { Bound } from './port-table.ts'
import { TlsLayer, type TlsOptions } from './tls-layer.ts'
import type { ServerCertificate } from './tls.ts'

/** The receiver of a port's connections, with their options. */
export type PortHandler = {
  readonly nodelay: boolean
  readonly keepalive: boolean
  /** The certificate of the port; null where it has no TLS. */
  readonly certificate: ServerCertificate | null
  /** Called with each connection. `handedOver` is the state of a connection that an older handler handed over. */
  onConnection(socket: Socket, handedOver?: unknown): void
}

/** The most connections that wait to be accepted, where the system allows as many: a thousand viewers may connect at once. */
const BACKLOG = 4096
/** Idle time before the first keep-alive probe. */
const KEEPALIVE_DELAY_MS = 60_000
/**
 * The time between two log lines about accept errors, which come by the thousand. When file descriptors run out, most
 * systems report no error: the runtime closes the connections.
 */
const ACCEPT_ERROR_LOG_INTERVAL_MS = 60_000
/** Error codes of machines without IPv6 for binding `::`. */
const NO_IPV6_CODES = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])

/**
 * A listening port that outlives the generations that use it: connections go to the handler activated last. Connections that
 * come before the first handler, or between two, are held.
 */
export class BoundPort implements Bound<PortHandler> {
  readonly #server = createServer((socket) => this.#accept(socket))
  readonly #tls: TlsLayer | null
  readonly #handlers: PortHandler[] = []
  readonly #held = new Set<Socket>()
  readonly #log: Logger
  readonly #limits: AcceptLimits
  readonly #acceptErrors = new LogLimit(ACCEPT_ERROR_LOG_INTERVAL_MS)

  constructor(options: { readonly tls: TlsOptions | null; readonly log: Logger; readonly limits: AcceptLimits }) {
    this.#log = options.log
    this.#limits = options.limits
    this.#server.on('error', (error) => this.#onAcceptError(error))
    this.#tls = options.tls && new TlsLayer({ ...options, ...options.tls }, (socket) => this.#deliver(socket))
  }

  get listening(): boolean {
    return this.#server.listening
  }

  /**
   * Listens, or listens again after {@link BoundPort.pause}.
   * @throws {Error} with a `code` when the address can't be bound
   */
  async listen({ host, port }: ListenAddress): Promise<void> {
    try {
      await this.#listenOn(host ?? '::', port)
    } catch (error) {
      if (host !== null || !NO_IPV6_CODES.has(errorCode(error))) throw error
      await this.#listenOn('0.0.0.0', port)
    }
  }

  async #listenOn(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port, backlog: BACKLOG })
    await once(this.#server, 'listening')
  }

  /** The bound address with the real port, also for port 0; the port is 0 while it does not listen. */
  get address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') return { host: '', port: 0 }
    return { host: address.address, port: address.port }
  }

  /** Sends new connections to this handler, and passes it at once the connections that were held. */
  activate(handler: PortHandler): void {
    this.#handlers.push(handler)
    this.#useCertificate()
    if (handler.certificate) handler.certificate.onRenewed = () => this.#useCertificate()
    const held = [...this.#held]
    this.#held.clear()
    for (const socket of held) this.#admit(socket, handler)
  }

  /** Sends new connections to the handler activated before this one again, where there is one. */
  deactivate(handler: PortHandler): void {
    const index = this.#handlers.indexOf(handler)
    if (index < 0) return
    this.#handlers.splice(index, 1)
    this.#useCertificate()
  }

  /**
   * Gives a connection of this port to the handler activated last. Its data wait for the next `data` listener, as those of a
   * new connection do.
   * @returns false when `from` is that handler, or there is none
   */
  handOver(socket: Socket, state: unknown, from: PortHandler): boolean {
    const handler = this.#handlers.at(-1)
    if (handler === undefined || handler === from || socket.destroyed) return false
    holdData(socket)
    this.#call(handler, socket, state)
    return true
  }

  /** Stops listening for a while. Accepted connections go on, also those that are held. */
  pause(): void {
    this.#server.close()
  }

  /** Stops listening for good. Connections that a handler has received go on. */
  close(): void {
    this.#server.close()
    this.#tls?.close()
    for (const socket of this.#held) socket.destroy()
    this.#held.clear()
  }

  #useCertificate(): void {
    const certificate = this.#handlers.at(-1)?.certificate
    if (certificate) this.#tls?.setCertificate(certificate.pair)
  }

  #accept(socket: Socket): void {
    // An error without listener would end the process, and a handler may add its own late.
    socket.on('error', (err) => this.#log.debug({ code: errorCode(err) }, 'connection failed'))
    const handler = this.#handlers.at(-1)
    if (handler) this.#admit(socket, handler)
    else this.#hold(socket)
  }

  #hold(socket: Socket): void {
    if (this.#held.size >= this.#limits.maxHeld) {
      socket.destroy()
      return
    }
    this.#held.add(socket)
    socket.once('close', () => this.#held.delete(socket))
  }

  #admit(socket: Socket, handler: PortHandler): void {
    socket.setNoDelay(handler.nodelay)
    socket.setKeepAlive(handler.keepalive, KEEPALIVE_DELAY_MS)
    if (this.#tls) this.#tls.handshake(socket)
    else this.#deliver(socket)
  }

  #deliver(socket: Socket): void {
    const handler = this.#handlers.at(-1)
    if (!handler) {
      socket.destroy()
      return
    }
    if (this.#tls) socket.on('error', (err) => this.#log.debug({ code: errorCode(err) }, 'connection failed'))
    this.#call(handler, socket)
  }

  #call(handler: PortHandler, socket: Socket, handedOver?: unknown): void {
    const fail = (err: unknown): void => {
      this.#log.error({ err }, 'connection closed: its handler failed')
      socket.destroy()
    }
    try {
      const result: unknown = handler.onConnection(socket, handedOver)
      if (result instanceof Promise) result.catch(fail)
    } catch (err) {
      fail(err)
    }
  }

  #onAcceptError(error: Error): void {
    // `listen` reports its own errors.
    if (!this.listening) return
    if (this.#acceptErrors.pass() === undefined) return
    this.#log.error({ code: errorCode(error) }, 'connections refused: they can not be accepted')
  }
}

function holdData(socket: Socket): void {
  socket.pause()
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return
    socket.off('newListener', onListener)
    if (event === 'data') socket.resume()
  }
  socket.on('newListener', onListener)
}
