import { errorCode, LogLimit } from 'sluice/sdk'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Logger } from 'pino'
import type { AcceptLimits } from './accept-limits.ts'
import type { ListenAddress } from './address.ts'
import type { Bound } from './port-table.ts'
import { TlsLayer, type TlsOptions } from './tls-layer.ts'
import type { ServerCertificate } from './tls.ts'

/** Who takes the connections of a port, and how they are set up. */
export type PortHandler = {
  readonly nodelay: boolean
  readonly keepalive: boolean
  /** Null where the port has no TLS. */
  readonly certificate: ServerCertificate | null
  /** `handedOver` is what an older handler gave with a connection of its own. */
  onConnection(socket: Socket, handedOver?: unknown): void
}

/** So many connections may wait to be accepted, if the system allows as many: a thousand viewers may come at once. */
const BACKLOG = 4096
/** Idle time before the first keep-alive probe. */
const KEEPALIVE_DELAY_MS = 60_000
/**
 * Accept errors come by the thousand; one line in this time is enough. Where file descriptors run out, most systems
 * report nothing: the runtime closes what it can't hand over.
 */
const ACCEPT_ERROR_LOG_INTERVAL_MS = 60_000
/** What a machine without IPv6 answers to binding `::`. */
const NO_IPV6_CODES = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])

/**
 * A listening port that outlives those who use it: connections go to the handler activated last. Before the first one
 * is there, and between two, connections are held.
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

  /** The real port, also where 0 was asked for; 0 while it does not listen. */
  get address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') return { host: '', port: 0 }
    return { host: address.address, port: address.port }
  }

  /** New connections go to this handler; connections that were held get it at once. */
  activate(handler: PortHandler): void {
    this.#handlers.push(handler)
    this.#useCertificate()
    if (handler.certificate) handler.certificate.onRenewed = () => this.#useCertificate()
    const held = [...this.#held]
    this.#held.clear()
    for (const socket of held) this.#admit(socket, handler)
  }

  /** New connections go to the handler activated before it, if that is still there. */
  deactivate(handler: PortHandler): void {
    const index = this.#handlers.indexOf(handler)
    if (index < 0) return
    this.#handlers.splice(index, 1)
    this.#useCertificate()
  }

  /**
   * Gives a connection of this port to the handler activated last. It waits for its next `data` listener there, as one
   * that was just accepted does.
   * @returns false where `from` is that handler, or there is none
   */
  handOver(socket: Socket, state: unknown, from: PortHandler): boolean {
    const handler = this.#handlers.at(-1)
    if (handler === undefined || handler === from || socket.destroyed) return false
    holdData(socket)
    this.#call(handler, socket, state)
    return true
  }

  /** Stops listening for a while. Connections that were accepted live on, also those that are held. */
  pause(): void {
    this.#server.close()
  }

  /** Stops listening for good. Connections that were handed over live on. */
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
    // An error nobody listens to would end the process, and a handler may be late to do so.
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
    // `listen` tells of its own errors.
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
