import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { TcpConfig } from 'sluice/sdk'
import { ACCEPT_LIMITS, type AcceptLimits } from './accept-limits.ts'
import { parseListenAddress, type ListenAddress } from './address.ts'
import { BoundPort } from './bound-port.ts'
import { ListenError, TAKEN_OUTSIDE } from './listen-error.ts'
import { Lease, type LeaseOwner, type ListenerLease, type Port } from './listener-lease.ts'
import type { TlsOptions } from './tls-layer.ts'
import { ServerCertificate } from './tls.ts'
import { messageOf } from '../base/message-of.ts'

/** What a port needs to know of its config. */
type ListenConfig = TcpConfig & {
  /** Protocols that TLS clients may choose from (RFC 7301), the preferred first; by default they are not asked. */
  readonly alpn?: readonly string[]
  /** The group of the config that these keys are in, for example `rtmp.tcp`. */
  readonly section?: string | undefined
}

/** An address as a config asks for it. */
type PortWish = { readonly text: string; readonly key: string | undefined; readonly tls: TlsOptions | null }

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
   * Binds the addresses of a config, or joins those that an owner of the same name has bound already: the same address
   * text is the same port, also `:0`. An address that only such an owner's other port stands in the way of, as
   * `127.0.0.1:1935` after `:1935`, is bound later, by `ListenerLease.bind`.
   * @param owner its name is in log lines and errors
   * @param onConnection gets each connection, for TLS after the handshake; what it throws ends that connection only
   * @throws {ListenError}
   */
  async acquire(
    owner: LeaseOwner,
    config: ListenConfig,
    onConnection: (socket: Socket) => void,
  ): Promise<ListenerLease> {
    const certificate = config.listenaddrtls === '' ? null : await this.#openCertificate(owner, config)
    const lease = new Lease({
      owner,
      certificate,
      bind: (port, user) => this.#bind(port, user),
      leave: (ports, user) => this.#leave(ports, user),
    })
    try {
      for (const tls of [false, true]) {
        const text = tls ? config.listenaddrtls : config.listenaddr
        if (text === '') continue
        const key = config.section && `${config.section}.${tls ? 'listenaddrtls' : 'listenaddr'}`
        const port = this.#join(owner, { text, key, tls: tls ? { alpn: config.alpn ?? [] } : null })
        const { nodelay, keepalive } = config
        lease.add(port, { nodelay, keepalive, certificate: tls ? certificate : null, onConnection })
        await this.#boundOrInTheWay(port, owner)
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

  async #openCertificate({ plugin }: LeaseOwner, config: TcpConfig): Promise<ServerCertificate> {
    try {
      return await ServerCertificate.open(config, this.#log.child({ owner: plugin, address: config.listenaddrtls }))
    } catch (cause) {
      const address = config.listenaddrtls
      throw new ListenError({
        code: 'CERTIFICATE',
        owner: plugin,
        address,
        key: undefined,
        why: messageOf(cause),
        cause,
      })
    }
  }

  #join(owner: LeaseOwner, wish: PortWish): Port {
    const { plugin } = owner
    const { text, tls } = wish
    if (this.#closed) throw closedError(plugin, text)
    const port = this.#ports.get(keyOf({ plugin, text, tls: tls !== null })) ?? this.#open(plugin, wish)
    port.users.push(owner)
    return port
  }

  #open(plugin: string, { text, key, tls }: PortWish): Port {
    const wanted = parseAddress(plugin, text, key)
    const bound = new BoundPort({ tls, log: this.#log.child({ owner: plugin, address: text }), limits: this.#limits })
    const init = { plugin, text, key, tls: tls !== null, wanted, bound }
    const port: Port = { ...init, ready: Promise.resolve(), users: [], displaced: [] }
    port.ready = this.#listen(port)
    this.#ports.set(keyOf(port), port)
    return port
  }

  async #listen(port: Port): Promise<void> {
    const { plugin, text, key, wanted, bound } = port
    try {
      await bound.listen(wanted)
      port.wanted = { ...wanted, port: bound.address.port }
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'ADDRESS'
      const why = this.#explain(code, cause, wanted)
      throw new ListenError({ code, owner: plugin, address: text, key, why, cause })
    }
    if (!this.#closed) return
    bound.close()
    throw closedError(plugin, text)
  }

  async #boundOrInTheWay(port: Port, owner: LeaseOwner): Promise<void> {
    try {
      await port.ready
    } catch (error) {
      const inUse = error instanceof ListenError && error.code === 'EADDRINUSE'
      if (!inUse || this.#inTheWay(port, owner).length === 0) throw error
    }
  }

  /** The ports that earlier owners of the same name listen on, where this one is to listen. */
  #inTheWay(port: Port, owner: LeaseOwner): Port[] {
    return [...this.#ports.values()].filter(
      ({ plugin, bound, users }) =>
        plugin === port.plugin && bound.address.port === port.wanted.port && !users.includes(owner),
    )
  }

  async #bind(port: Port, owner: LeaseOwner): Promise<void> {
    if (port.bound.listening) return
    port.displaced.push(...this.#inTheWay(port, owner))
    for (const { bound } of port.displaced) bound.pause()
    port.ready = this.#listen(port)
    try {
      await port.ready
    } catch (error) {
      await this.#restore(port)
      throw error
    }
  }

  async #leave(ports: readonly Port[], owner: LeaseOwner): Promise<void> {
    const left: Port[] = []
    for (const port of ports) {
      port.users.splice(port.users.indexOf(owner), 1)
      if (port.users.length === 0) left.push(port)
    }
    for (const port of left) {
      if (this.#ports.get(keyOf(port)) === port) this.#ports.delete(keyOf(port))
      port.bound.close()
    }
    for (const port of left) await this.#restore(port)
  }

  async #restore(port: Port): Promise<void> {
    for (const other of port.displaced.splice(0)) {
      if (other.users.length === 0 || other.bound.listening || this.#closed) continue
      try {
        other.ready = this.#listen(other)
        await other.ready
      } catch (err) {
        this.#log.error({ err, owner: other.plugin }, 'a port was lost while its address changed')
      }
    }
  }

  #explain(code: string, error: unknown, { port }: ListenAddress): string {
    if (code === 'EADDRINUSE') {
      const holder = this.#ports.values().find(({ bound }) => bound.address.port === port)
      return holder ? `${TAKEN_OUTSIDE} by ${holder.plugin}` : TAKEN_OUTSIDE
    }
    if (code === 'EACCES') return 'permission denied'
    if (code === 'EADDRNOTAVAIL') return 'this machine has no such address'
    return messageOf(error)
  }
}

function keyOf({ plugin, text, tls }: Pick<Port, 'plugin' | 'text' | 'tls'>): string {
  return `${plugin} ${text} ${tls}`
}

function closedError(owner: string, address: string): ListenError {
  return new ListenError({ code: 'CLOSED', owner, address, key: undefined, why: 'the server is stopping' })
}

function parseAddress(plugin: string, text: string, key: string | undefined): ListenAddress {
  try {
    return parseListenAddress(text)
  } catch (cause) {
    throw new ListenError({ code: 'ADDRESS', owner: plugin, address: text, key, why: messageOf(cause), cause })
  }
}
