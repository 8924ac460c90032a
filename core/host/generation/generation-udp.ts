import type { DatagramHandler, PortRange, UdpConfig, UdpListener } from 'sluice/sdk'
import { guard } from '../../base/guard.ts'
import type { UdpPortHandler } from '../../net/bound-udp-port.ts'
import type { SessionPort } from '../../net/session-ports.ts'
import { callPlugin } from '../error-owner.ts'
import { PluginError } from '../plugin-error.ts'
import { DatagramCalls } from './datagram-calls.ts'
import type { GenerationOwner, GenerationParts, GenerationUdpLease } from './generation-parts.ts'
import { LentUdpPort, type LentUdpPortInit } from './lent-udp-port.ts'

type InSection = { readonly section: string | undefined }

/**
 * The UDP ports of one generation. Unlike TCP listeners they stay open while it drains, as they receive the datagrams of its
 * flows, and those of its sessions whose peers are not known yet.
 */
export class GenerationUdp {
  readonly #owner: GenerationOwner
  readonly #net: GenerationParts['net']
  readonly #calls: DatagramCalls
  readonly #leases = new Set<GenerationUdpLease>()
  /** All ports, including those of single sessions. */
  readonly #ports = new Set<LentUdpPort>()
  #state: 'waiting' | 'active' | 'closed' = 'waiting'

  constructor(owner: GenerationOwner, net: GenerationParts['net']) {
    this.#owner = owner
    this.#net = net
    this.#calls = new DatagramCalls(owner)
  }

  /** The addresses of the listeners, without the ports of single sessions. */
  get addresses(): UdpListener['address'][] {
    return [...this.#leases].map(({ port }) => port.address)
  }

  /** The number of flows, and of ports of single sessions. */
  get sessionCount(): number {
    let count = 0
    for (const port of this.#ports) count += port.sessionCount
    return count
  }

  async listen(config: UdpConfig & InSection, onDatagram: DatagramHandler): Promise<UdpListener> {
    const handler = this.#handler(onDatagram)
    const lease = await this.#asPlugin(() => this.#net.acquireUdp(this.#owner, config, handler))
    this.#leases.add(lease)
    const close = () => {
      this.#leases.delete(lease)
      return lease.release()
    }
    const listener = this.#lend({ port: lease.port, isOfSession: false, close })
    if (this.#state === 'active') {
      await lease.bind()
      lease.activate()
    }
    await this.#assertOpen(listener)
    return listener
  }

  async takePort(range: PortRange, onDatagram: DatagramHandler): Promise<UdpListener> {
    const handler = this.#handler(onDatagram)
    const port = await this.#asPlugin(() => this.#net.takePort(this.#owner, range, handler))
    return this.#lendToSession(port)
  }

  async takePortPair(
    range: PortRange,
    onEven: DatagramHandler,
    onOdd: DatagramHandler,
  ): Promise<readonly [UdpListener, UdpListener]> {
    const handlers = [this.#handler(onEven), this.#handler(onOdd)] as const
    const [even, odd] = await this.#asPlugin(() => this.#net.takePortPair(this.#owner, range, handlers))
    return Promise.all([this.#lendToSession(even), this.#lendToSession(odd)])
  }

  /** Binds addresses that conflict with ports of the generation before. */
  async bind(): Promise<void> {
    for (const lease of this.#leases) await lease.bind()
  }

  /** Offers datagrams of unknown peers to this generation first from now on. */
  activate(): void {
    this.#state = 'active'
    for (const lease of this.#leases) lease.activate()
  }

  /** Closes flows and ports. */
  close(): void {
    this.#state = 'closed'
    for (const port of this.#ports) guard(this.#owner.log, 'release of a port', () => port.close())
  }

  #handler(onDatagram: DatagramHandler): UdpPortHandler {
    return { onDatagram: (datagram, peer) => this.#calls.call(onDatagram, datagram, peer) }
  }

  /** Makes a port as the work of the plugin, so that errors in handling its datagrams are attributed to the plugin. */
  #asPlugin<Result>(call: () => Result): Result {
    return callPlugin(this.#owner.plugin, call)
  }

  async #lendToSession({ port, close }: SessionPort): Promise<UdpListener> {
    const lent = this.#lend({ port, isOfSession: true, close })
    await this.#assertOpen(lent)
    return lent
  }

  #lend(init: Omit<LentUdpPortInit, 'calls'>): LentUdpPort {
    const close = () => {
      this.#ports.delete(lent)
      return init.close()
    }
    const lent: LentUdpPort = new LentUdpPort({ ...init, calls: this.#calls, close })
    this.#ports.add(lent)
    return lent
  }

  /** Closes a port when the generation has ended while it was bound. */
  async #assertOpen(port: LentUdpPort): Promise<void> {
    if (this.#state !== 'closed') return
    await port.close()
    throw new PluginError(`plugin '${this.#owner.plugin}' is unloaded`)
  }
}
