import type { Socket } from 'node:net'
import type {
  Certificate,
  CertificateOptions,
  DatagramHandler,
  ListenOptions,
  PortRange,
  TcpConfig,
  TcpListener,
  UdpConfig,
  UdpListener,
} from 'sluice/sdk'
import { guard } from '../../base/guard.ts'
import { isUsers } from '../../config/settings.ts'
import { callPlugin } from '../error-owner.ts'
import { PluginError } from '../plugin-error.ts'
import { GenerationDialers } from './generation-dialers.ts'
import type {
  GenerationLease,
  GenerationOwner,
  GenerationParts,
  PluginSection,
  PluginValues,
} from './generation-parts.ts'
import type { TcpSessionPort } from '../../net/session-ports.ts'
import { GenerationUdp } from './generation-udp.ts'

type OnConnection = (socket: Socket, handedOver?: unknown) => unknown

/** The ports that one generation has leased, and its connections. */
export class GenerationPorts {
  readonly udp: GenerationUdp
  readonly dialers: GenerationDialers
  readonly #owner: GenerationOwner
  readonly #net: GenerationParts['net']
  /** Returns the present section of the plugin. */
  readonly #section: () => PluginSection
  /** The addresses that are used instead of those in groups of the section, by the group. */
  readonly #instead = new Map<string, string>()
  readonly #leases = new Set<GenerationLease>()
  readonly #sessionPorts = new Set<TcpSessionPort>()
  /** The connections, with the listeners for their end. */
  readonly #sockets = new Map<Socket, () => void>()
  readonly #certificates = new Set<{ close(): void }>()
  #state: 'waiting' | 'active' | 'released' | 'closed' = 'waiting'

  constructor(owner: GenerationOwner, parts: Pick<GenerationParts, 'net' | 'dialer'>, section: () => PluginSection) {
    this.#owner = owner
    this.#net = parts.net
    this.#section = section
    this.udp = new GenerationUdp(owner, parts.net)
    this.dialers = new GenerationDialers(owner, parts.dialer)
  }

  /** The addresses of the TCP listeners. */
  get addresses(): TcpListener['addresses'] {
    return [...this.#leases].flatMap((lease) => lease.addresses)
  }

  /** A section of the plugin with the addresses that are really listened on. */
  asListening(section: PluginSection): PluginSection {
    if (this.#instead.size === 0) return section
    const { values } = section
    const groups = [...this.#instead].map(([group, listenaddr]) => [group, { ...groupIn(values, group), listenaddr }])
    return { ...section, values: { ...values, ...Object.fromEntries(groups) } }
  }

  /** The number of connections, UDP flows, and ports of single sessions that have not ended. */
  get connectionCount(): number {
    return this.#sockets.size + this.#sessionPorts.size + this.udp.sessionCount
  }

  /** @throws {PluginError} when the ports were released */
  async listen(config: TcpConfig, onConnection: OnConnection, { fallback }: ListenOptions = {}): Promise<TcpListener> {
    this.#assertLent()
    const group = this.#groupOf(config)
    const section = this.#keyOf(group)
    const accept = (socket: Socket, handedOver?: unknown) => this.#accept(socket, handedOver, onConnection)
    const lease = await this.#net.acquire(
      this.#owner,
      { ...config, section, ...this.#fallback(group, fallback) },
      accept,
    )
    this.#leases.add(lease)
    if (group !== undefined && lease.instead !== undefined) this.#instead.set(group, lease.instead)
    if (this.#state === 'released' || this.#state === 'closed') await lease.release()
    this.#assertLent()
    if (this.#state === 'active') await activate(lease)
    return {
      get addresses() {
        return lease.addresses
      },
      handOver: (socket, state) => this.#handOver(lease, socket, state),
      close: () => {
        this.#leases.delete(lease)
        return lease.release()
      },
    }
  }

  /**
   * Takes a TCP port for one session, also while the generation drains.
   * @throws {PluginError} when the generation has ended
   */
  async takePort(range: PortRange, onConnection: OnConnection): Promise<TcpListener> {
    const accept = (socket: Socket) => this.#accept(socket, undefined, onConnection)
    const port = await this.#net.takeTcpPort(this.#owner, range, accept)
    const close = async () => {
      this.#sessionPorts.delete(port)
      port.close()
    }
    this.#sessionPorts.add(port)
    if (this.#state === 'closed') {
      await close()
      throw this.#unloaded()
    }
    return { addresses: [{ ...port.address, tls: false }], handOver: () => false, close }
  }

  /** @throws {PluginError} when the ports were released */
  async listenUdp(config: UdpConfig, onDatagram: DatagramHandler): Promise<UdpListener | undefined> {
    this.#assertLent()
    if (config.listenaddr === '') return undefined
    return this.udp.listen({ ...config, section: this.#keyOf(this.#groupOf(config)) }, onDatagram)
  }

  /** @throws {PluginError} when the generation has ended */
  async certificate(
    files: { readonly certfile: string; readonly keyfile: string },
    { days, onRenewed }: CertificateOptions = {},
  ): Promise<Certificate> {
    const certificate = await this.#net.openCertificate(this.#owner, files, { days })
    this.#certificates.add(certificate)
    if (this.#state === 'closed') {
      certificate.close()
      throw this.#unloaded()
    }
    certificate.onRenewed = (renewed) => {
      const call = () => callPlugin(this.#owner.plugin, () => onRenewed?.(renewed))
      guard(this.#owner.log, 'listener for renewed certificates', call)
    }
    return certificate.pair
  }

  /** Binds addresses that conflict with ports of the generation before. */
  async bind(): Promise<void> {
    for (const lease of this.#leases) await lease.bind()
    await this.udp.bind()
  }

  /** Sends new connections and datagrams of unknown peers to this generation from now on. */
  activate(): void {
    this.#state = 'active'
    for (const lease of this.#leases) lease.activate()
    this.udp.activate()
  }

  /** Stops accepting new connections. */
  release(): void {
    if (this.#state !== 'closed') this.#state = 'released'
    for (const lease of this.#leases) guard(this.#owner.log, 'release of a port', () => lease.release())
  }

  /** Ends the connections, and gives up the ports of sessions. */
  close(): void {
    this.#state = 'closed'
    for (const port of this.#sessionPorts) port.close()
    for (const socket of this.#sockets.keys()) socket.destroy()
    this.udp.close()
    this.dialers.close()
    for (const certificate of this.#certificates) certificate.close()
  }

  /** Finds the group of the plugin's section that is this object. */
  #groupOf(config: object): string | undefined {
    return Object.entries(this.#section().values).find(([, value]) => value === config)?.[0]
  }

  /** The config key of a group, for errors. */
  #keyOf(group: string | undefined): string | undefined {
    return group && `${this.#owner.plugin}.${group}`
  }

  /** Returns the fallback address, unless the user has set the address. */
  #fallback(group: string | undefined, fallback: string | undefined): { readonly fallback?: string | undefined } {
    const source = this.#section().sources.get(`${group}.listenaddr`)
    return source === undefined || isUsers(source) ? {} : { fallback }
  }

  #assertLent(): void {
    if (this.#state === 'waiting' || this.#state === 'active') return
    throw new PluginError(`plugin '${this.#owner.plugin}' is being unloaded`)
  }

  #unloaded(): PluginError {
    return new PluginError(`plugin '${this.#owner.plugin}' is unloaded`)
  }

  #accept(socket: Socket, handedOver: unknown, onConnection: OnConnection): void {
    const forget = () => this.#sockets.delete(socket)
    this.#sockets.set(socket, forget)
    socket.once('close', forget)
    const end = () => socket.destroy()
    const call = () => callPlugin(this.#owner.plugin, () => onConnection(socket, handedOver))
    guard(this.#owner.log, 'connection handler', call, end)
  }

  #handOver(lease: GenerationLease, socket: Socket, state: unknown): boolean {
    const forget = this.#sockets.get(socket)
    if (forget === undefined || !lease.handOver(socket, state)) return false
    // The connection outlives this generation, and must not keep it in memory.
    socket.off('close', forget)
    forget()
    return true
  }
}

function groupIn(values: PluginValues, name: string): object {
  const group: unknown = Reflect.get(values, name)
  return typeof group === 'object' && group !== null ? group : {}
}

async function activate(lease: GenerationLease): Promise<void> {
  await lease.bind()
  lease.activate()
}
