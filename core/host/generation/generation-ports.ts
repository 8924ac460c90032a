import type { Socket } from 'node:net'
import type { TcpConfig, TcpListener } from 'sluice/sdk'
import { callPlugin } from '../error-owner.ts'
import { guard } from '../../base/guard.ts'
import { PluginError } from '../plugin-error.ts'
import type { GenerationLease, GenerationOwner, GenerationParts } from './generation-parts.ts'

/** The ports that one generation has borrowed, and its connections. */
export class GenerationPorts {
  readonly #owner: GenerationOwner
  readonly #net: GenerationParts['net']
  /** The plugin's section at present. */
  readonly #config: () => object
  readonly #leases = new Set<GenerationLease>()
  readonly #sockets = new Set<Socket>()
  #state: 'waiting' | 'active' | 'released' = 'waiting'

  constructor(owner: GenerationOwner, net: GenerationParts['net'], config: () => object) {
    this.#owner = owner
    this.#net = net
    this.#config = config
  }

  get addresses(): TcpListener['addresses'] {
    return [...this.#leases].flatMap((lease) => lease.addresses)
  }

  /** Connections that have not ended. */
  get connectionCount(): number {
    return this.#sockets.size
  }

  /** @throws {PluginError} when the ports were released */
  async listen(config: TcpConfig, onConnection: (socket: Socket) => void): Promise<TcpListener> {
    this.#assertLent()
    const section = this.#sectionOf(config)
    const accept = (socket: Socket) => this.#accept(socket, onConnection)
    const lease = await this.#net.acquire(this.#owner, { ...config, section }, accept)
    this.#leases.add(lease)
    if (this.#state === 'released') await lease.release()
    this.#assertLent()
    if (this.#state === 'active') await activate(lease)
    return {
      get addresses() {
        return lease.addresses
      },
    }
  }

  /** Binds what the generation before has to make room for. */
  async bind(): Promise<void> {
    for (const lease of this.#leases) await lease.bind()
  }

  /** Connections come here from now on. */
  activate(): void {
    this.#state = 'active'
    for (const lease of this.#leases) lease.activate()
  }

  /** Takes no new connections. */
  release(): void {
    this.#state = 'released'
    for (const lease of this.#leases) guard(this.#owner.log, 'release of a port', () => lease.release())
  }

  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** The group of the plugin's section that these keys are, by identity: for an error that names the key. */
  #sectionOf(config: TcpConfig): string | undefined {
    const group = Object.entries(this.#config()).find(([, value]) => value === config)?.[0]
    return group && `${this.#owner.plugin}.${group}`
  }

  #assertLent(): void {
    if (this.#state === 'released') throw new PluginError(`plugin '${this.#owner.plugin}' is being unloaded`)
  }

  #accept(socket: Socket, onConnection: (socket: Socket) => unknown): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    const end = () => socket.destroy()
    const call = () => callPlugin(this.#owner.plugin, () => onConnection(socket))
    guard(this.#owner.log, 'connection handler', call, end)
  }
}

async function activate(lease: GenerationLease): Promise<void> {
  await lease.bind()
  lease.activate()
}
