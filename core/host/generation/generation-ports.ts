import type { Socket } from 'node:net'
import type {
  Certificate,
  CertificateOptions,
  DatagramHandler,
  TcpConfig,
  TcpListener,
  UdpConfig,
  UdpListener,
} from 'sluice/sdk'
import { guard } from '../../base/guard.ts'
import { callPlugin } from '../error-owner.ts'
import { PluginError } from '../plugin-error.ts'
import type { GenerationLease, GenerationOwner, GenerationParts } from './generation-parts.ts'
import { GenerationUdp } from './generation-udp.ts'

type OnConnection = (socket: Socket, handedOver?: unknown) => unknown

/** The ports that one generation has borrowed, and its connections. */
export class GenerationPorts {
  readonly udp: GenerationUdp
  readonly #owner: GenerationOwner
  readonly #net: GenerationParts['net']
  /** The plugin's section at present. */
  readonly #config: () => object
  readonly #leases = new Set<GenerationLease>()
  /** The connections, and what listens for their end. */
  readonly #sockets = new Map<Socket, () => void>()
  readonly #certificates = new Set<{ close(): void }>()
  #state: 'waiting' | 'active' | 'released' | 'closed' = 'waiting'

  constructor(owner: GenerationOwner, net: GenerationParts['net'], config: () => object) {
    this.#owner = owner
    this.#net = net
    this.#config = config
    this.udp = new GenerationUdp(owner, net)
  }

  /** Of its TCP listeners. */
  get addresses(): TcpListener['addresses'] {
    return [...this.#leases].flatMap((lease) => lease.addresses)
  }

  /** Connections, flows of UDP, and ports of single sessions that have not ended. */
  get connectionCount(): number {
    return this.#sockets.size + this.udp.sessionCount
  }

  /** @throws {PluginError} when the ports were released */
  async listen(config: TcpConfig, onConnection: OnConnection): Promise<TcpListener> {
    this.#assertLent()
    const section = this.#sectionOf(config)
    const accept = (socket: Socket, handedOver?: unknown) => this.#accept(socket, handedOver, onConnection)
    const lease = await this.#net.acquire(this.#owner, { ...config, section }, accept)
    this.#leases.add(lease)
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

  /** @throws {PluginError} when the ports were released */
  async listenUdp(config: UdpConfig, onDatagram: DatagramHandler): Promise<UdpListener | undefined> {
    this.#assertLent()
    if (config.listenaddr === '') return undefined
    return this.udp.listen({ ...config, section: this.#sectionOf(config) }, onDatagram)
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
      throw new PluginError(`plugin '${this.#owner.plugin}' is unloaded`)
    }
    certificate.onRenewed = (renewed) => {
      const call = () => callPlugin(this.#owner.plugin, () => onRenewed?.(renewed))
      guard(this.#owner.log, 'listener for renewed certificates', call)
    }
    return certificate.pair
  }

  /** Binds what the generation before has to make room for. */
  async bind(): Promise<void> {
    for (const lease of this.#leases) await lease.bind()
    await this.udp.bind()
  }

  /** Connections and datagrams of unknown peers come here from now on. */
  activate(): void {
    this.#state = 'active'
    for (const lease of this.#leases) lease.activate()
    this.udp.activate()
  }

  /** Takes no new connections. */
  release(): void {
    if (this.#state !== 'closed') this.#state = 'released'
    for (const lease of this.#leases) guard(this.#owner.log, 'release of a port', () => lease.release())
  }

  /** Ends its connections, and gives up what it has kept for its sessions. */
  close(): void {
    this.#state = 'closed'
    for (const socket of this.#sockets.keys()) socket.destroy()
    this.udp.close()
    for (const certificate of this.#certificates) certificate.close()
  }

  /** The group of the plugin's section that these keys are, by identity: for an error that names the key. */
  #sectionOf(config: object): string | undefined {
    const group = Object.entries(this.#config()).find(([, value]) => value === config)?.[0]
    return group && `${this.#owner.plugin}.${group}`
  }

  #assertLent(): void {
    if (this.#state === 'waiting' || this.#state === 'active') return
    throw new PluginError(`plugin '${this.#owner.plugin}' is being unloaded`)
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
    // Nothing of this generation is to hang on a connection that outlives it.
    socket.off('close', forget)
    forget()
    return true
  }
}

async function activate(lease: GenerationLease): Promise<void> {
  await lease.bind()
  lease.activate()
}
