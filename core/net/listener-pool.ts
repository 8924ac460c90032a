import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { TcpConfig, TcpListener } from 'sluice/sdk'
import { ACCEPT_LIMITS, type AcceptLimits } from './accept-limits.ts'
import { parseListenAddress } from './address.ts'
import { BoundPort, type PortHandler } from './bound-port.ts'
import { ListenError } from './listen-error.ts'
import { ServerCertificate } from './tls.ts'

/** The use of ports by one generation of a plugin. */
export interface ListenerLease extends TcpListener {
  /** From now on, new connections come here; until then they go to the lease activated before, or are held. */
  activate(): void
  /** Gives the ports up; one that nobody else leases is closed at once. Accepted connections live on. */
  release(): Promise<void>
}

type Port = {
  readonly key: string
  readonly owner: string
  readonly tls: boolean
  readonly bound: BoundPort
  /** Rejects with a `ListenError`. */
  readonly ready: Promise<void>
  leases: number
}

/** The TCP ports of the server. They belong to the host, so that a plugin can be replaced without closing its port. */
export class ListenerPool {
  readonly #ports = new Map<string, Port>()
  readonly #log: Logger
  readonly #limits: AcceptLimits
  #closed = false

  constructor(options: { readonly log: Logger; readonly limits?: Partial<AcceptLimits> }) {
    this.#log = options.log
    this.#limits = { ...ACCEPT_LIMITS, ...options.limits }
  }

  /**
   * Binds the addresses of a config, or joins those the same owner has bound already: the same address text is the same
   * port, also `:0`.
   * @param owner the plugin's name; it is in log lines and errors
   * @param onConnection gets each connection, for TLS after the handshake; what it throws ends that connection only
   * @throws {ListenError}
   */
  async acquire(owner: string, config: TcpConfig, onConnection: (socket: Socket) => void): Promise<ListenerLease> {
    const certificate = config.listenaddrtls === '' ? null : await this.#openCertificate(owner, config)
    const lease = new Lease(certificate, (port) => this.#leave(port))
    try {
      for (const tls of [false, true]) {
        const text = tls ? config.listenaddrtls : config.listenaddr
        if (text === '') continue
        const port = this.#join(owner, text, tls)
        const { nodelay, keepalive } = config
        lease.add(port, { nodelay, keepalive, certificate: tls ? certificate : null, onConnection })
        await port.ready
      }
    } catch (error) {
      await lease.release()
      throw error
    }
    return lease
  }

  /** Closes all ports; accepted connections live on. */
  close(): void {
    this.#closed = true
    for (const { bound } of this.#ports.values()) bound.close()
    this.#ports.clear()
  }

  async #openCertificate(owner: string, config: TcpConfig): Promise<ServerCertificate> {
    try {
      return await ServerCertificate.open(config, this.#log.child({ owner, address: config.listenaddrtls }))
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new ListenError('CERTIFICATE', owner, config.listenaddrtls, why, { cause })
    }
  }

  #join(owner: string, text: string, tls: boolean): Port {
    if (this.#closed) throw new ListenError('CLOSED', owner, text, 'the server is stopping')
    const key = `${owner} ${text} ${tls}`
    const port = this.#ports.get(key) ?? this.#open(key, owner, text, tls)
    port.leases += 1
    return port
  }

  #leave(port: Port): void {
    port.leases -= 1
    if (port.leases > 0) return
    if (this.#ports.get(port.key) === port) this.#ports.delete(port.key)
    port.bound.close()
  }

  #open(key: string, owner: string, text: string, tls: boolean): Port {
    const log = this.#log.child({ owner, address: text })
    const bound = new BoundPort({ tls, log, limits: this.#limits })
    const port = { key, owner, tls, bound, ready: this.#listen(bound, owner, text), leases: 0 }
    this.#ports.set(key, port)
    return port
  }

  async #listen(bound: BoundPort, owner: string, text: string): Promise<void> {
    try {
      await bound.listen(parseListenAddress(text))
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'ADDRESS'
      throw new ListenError(code, owner, text, this.#explain(code, cause, text), { cause })
    }
    if (!this.#closed) return
    bound.close()
    throw new ListenError('CLOSED', owner, text, 'the server is stopping')
  }

  #explain(code: string, error: unknown, text: string): string {
    if (code === 'EADDRINUSE') {
      const { port } = parseListenAddress(text)
      const holder = this.#ports.values().find(({ bound }) => bound.address.port === port)
      return holder ? `address already in use by ${holder.owner}` : 'address already in use'
    }
    if (code === 'EACCES') return 'permission denied'
    if (code === 'EADDRNOTAVAIL') return 'this machine has no such address'
    return error instanceof Error ? error.message : String(error)
  }
}

type LeasedPort = { readonly port: Port; readonly handler: PortHandler }

class Lease implements ListenerLease {
  readonly #certificate: ServerCertificate | null
  readonly #leave: (port: Port) => void
  readonly #ports: LeasedPort[] = []
  #state: 'waiting' | 'active' | 'released' = 'waiting'

  constructor(certificate: ServerCertificate | null, leave: (port: Port) => void) {
    this.#certificate = certificate
    this.#leave = leave
  }

  add(port: Port, handler: PortHandler): void {
    this.#ports.push({ port, handler })
  }

  get addresses(): { host: string; port: number; tls: boolean }[] {
    return this.#ports.map(({ port }) => ({ ...port.bound.address, tls: port.tls }))
  }

  activate(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'active'
    for (const { port, handler } of this.#ports) port.bound.activate(handler)
  }

  async release(): Promise<void> {
    if (this.#state === 'released') return
    this.#state = 'released'
    this.#certificate?.close()
    for (const { port, handler } of this.#ports) {
      port.bound.deactivate(handler)
      this.#leave(port)
    }
  }
}
