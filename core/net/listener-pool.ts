import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { messageOf, type PortRange, type TcpConfig, type UdpConfig } from 'sluice/sdk'
import { ACCEPT_LIMITS, type AcceptLimits } from './accept-limits.ts'
import { BoundPort } from './bound-port.ts'
import { BoundUdpPort, type UdpPortHandler } from './bound-udp-port.ts'
import { ListenError } from './listen-error.ts'
import { ListenerLease } from './listener-lease.ts'
import { PortTable, type LeaseOwner, type Port } from './port-table.ts'
import { SessionPorts, type SessionPort, type TcpSessionPort } from './session-ports.ts'
import { SocketBuffers } from './socket-buffers.ts'
import { ServerCertificate, type CertificateFiles, type CertificateLife } from './tls.ts'
import { noDrops, type UdpDrops } from './udp-drops.ts'
import { UdpLease } from './udp-lease.ts'
import { UdpSending } from './udp-sending.ts'

/** The config group of the keys, for example `rtmp.tcp`, where it is known. */
type InSection = { readonly section?: string | undefined }

/** The config of a port. */
type ListenConfig = TcpConfig &
  InSection & {
    /** Protocols that TLS clients may choose from (RFC 7301), the preferred first; without ALPN unless given. */
    readonly alpn?: readonly string[]
    /** The address to use when the system refuses `listenaddr`. */
    readonly fallback?: string | undefined
  }

/** A port that listens. */
export type ListeningPort = {
  readonly plugin: string
  readonly kind: 'tcp' | 'tls' | 'udp'
  readonly host: string
  readonly port: number
  readonly openedAt: Date
}

/** The ports of the server. They belong to the host, so that a plugin can be replaced without closing its port. */
export class ListenerPool {
  readonly #log: Logger
  readonly #limits: AcceptLimits
  readonly #tcp: PortTable<BoundPort>
  readonly #udp: PortTable<BoundUdpPort>
  readonly #buffers: SocketBuffers
  readonly #sending: UdpSending
  readonly #sessionPorts: SessionPorts
  readonly #drops = new Map<string, UdpDrops>()

  constructor(options: { readonly log: Logger; readonly limits?: Partial<AcceptLimits> }) {
    this.#log = options.log
    this.#limits = { ...ACCEPT_LIMITS, ...options.limits }
    this.#tcp = new PortTable('', options.log)
    this.#udp = new PortTable(' (UDP)', options.log)
    this.#buffers = new SocketBuffers(options.log)
    this.#sending = new UdpSending(options.log)
    this.#sessionPorts = new SessionPorts(this.#buffers, this.#sending)
  }

  /** The datagrams that were dropped since the server started, by plugin. */
  get udpDrops(): ReadonlyMap<string, UdpDrops> {
    return this.#drops
  }

  /** All ports that listen, except those of single sessions. */
  listening(): ListeningPort[] {
    const shown = ({ plugin, kind, bound, openedAt }: Port<BoundPort | BoundUdpPort>): ListeningPort => ({
      plugin,
      openedAt,
      ...bound.address,
      kind: kind === 'tls' || kind === 'udp' ? kind : 'tcp',
    })
    return [...this.#tcp.listening().map(shown), ...this.#udp.listening().map(shown)]
  }

  /**
   * Binds the addresses of a config, or joins those that an owner of the same name has bound already.
   * @param owner the owner, whose name is in log lines and errors
   * @param onConnection called with each connection, for TLS after the handshake; an error that it throws ends only that
   * connection
   * @throws {ListenError}
   */
  async acquire(
    owner: LeaseOwner,
    config: ListenConfig,
    onConnection: (socket: Socket, handedOver?: unknown) => void,
  ): Promise<ListenerLease> {
    const certificate = config.listenaddrtls === '' ? null : await this.#openCertificate(owner, config)
    const lease = new ListenerLease(owner, this.#tcp, certificate)
    const limits = this.#limits
    try {
      for (const kind of ['tcp', 'tls'] as const) {
        const name = kind === 'tls' ? 'listenaddrtls' : 'listenaddr'
        if (config[name] === '') continue
        const tls = kind === 'tls' ? { alpn: config.alpn ?? [] } : null
        const create = (log: Logger) => new BoundPort({ tls, log, limits })
        const { nodelay, keepalive } = config
        const handler = { nodelay, keepalive, certificate: tls && certificate, onConnection }
        const wish = { text: config[name], key: keyIn(config, name), kind, create }
        const refusal = await lease.takeEither(wish, kind === 'tls' ? undefined : config.fallback, handler)
        if (refusal === undefined) continue
        lease.instead = config.fallback
        this.#log.warn({ owner: owner.plugin }, `${refusal.message}; it listens on ${config.fallback} instead`)
      }
    } catch (error) {
      await lease.release()
      throw error
    }
    return lease
  }

  /**
   * Binds the UDP address of a config, or joins the port that an owner of the same name has bound already.
   * @throws {ListenError}
   */
  async acquireUdp(owner: LeaseOwner, config: UdpConfig & InSection, handler: UdpPortHandler): Promise<UdpLease> {
    const lease = new UdpLease(owner, this.#udp)
    const drops = this.#dropsOf(owner)
    const create = () => new BoundUdpPort({ sending: this.#sending, buffers: this.#buffers, sizes: config, drops })
    try {
      await lease.take({ text: config.listenaddr, key: keyIn(config, 'listenaddr'), kind: 'udp', create }, handler)
    } catch (error) {
      await lease.release()
      throw error
    }
    lease.port.resize(config)
    return lease
  }

  /**
   * Binds a UDP port of a range for one session.
   * @throws {StreamUnavailable} when none is free
   */
  takePort(owner: LeaseOwner, range: PortRange, handler: UdpPortHandler): Promise<SessionPort> {
    return this.#sessionPorts.take(range, handler, this.#dropsOf(owner))
  }

  /**
   * Binds an even UDP port and the next one.
   * @throws {StreamUnavailable} when no two are free
   */
  takePortPair(
    owner: LeaseOwner,
    range: PortRange,
    handlers: readonly [UdpPortHandler, UdpPortHandler],
  ): Promise<readonly [SessionPort, SessionPort]> {
    return this.#sessionPorts.takePair(range, handlers, this.#dropsOf(owner))
  }

  /**
   * Binds a TCP port of a range for one session.
   * @throws {StreamUnavailable} when none is free
   */
  takeTcpPort(
    { plugin }: LeaseOwner,
    range: PortRange,
    onConnection: (socket: Socket) => void,
  ): Promise<TcpSessionPort> {
    const log = this.#log.child({ owner: plugin })
    const create = () => new BoundPort({ tls: null, log, limits: this.#limits })
    const handler = { nodelay: true, keepalive: true, certificate: null, onConnection }
    return this.#sessionPorts.takeTcp(range, handler, create)
  }

  /**
   * Opens the certificate in these files, or makes a self-signed one.
   * @throws {Error} with a message that names the file and the error in it
   */
  openCertificate(owner: LeaseOwner, files: CertificateFiles, life: CertificateLife): Promise<ServerCertificate> {
    return ServerCertificate.open(files, this.#log.child({ owner: owner.plugin }), life)
  }

  /** Closes all ports; accepted connections go on, and flows go on until they are released. */
  close(): void {
    this.#tcp.close()
    this.#udp.close()
    this.#sessionPorts.close()
  }

  #dropsOf({ plugin }: LeaseOwner): UdpDrops {
    const drops = this.#drops.get(plugin) ?? noDrops()
    this.#drops.set(plugin, drops)
    return drops
  }

  async #openCertificate({ plugin }: LeaseOwner, config: TcpConfig): Promise<ServerCertificate> {
    try {
      return await ServerCertificate.open(config, this.#log.child({ owner: plugin, address: config.listenaddrtls }))
    } catch (cause) {
      const address = config.listenaddrtls
      const why = messageOf(cause)
      throw new ListenError({ code: 'CERTIFICATE', owner: plugin, address, key: undefined, why, cause })
    }
  }
}

function keyIn({ section }: InSection, name: string): string | undefined {
  return section && `${section}.${name}`
}
