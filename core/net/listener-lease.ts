import type { TcpListener } from 'sluice/sdk'
import type { ListenAddress } from './address.ts'
import type { BoundPort, PortHandler } from './bound-port.ts'
import type { ServerCertificate } from './tls.ts'

/** Who leases ports: one generation of a plugin, known by identity. Its generations share ports by their name. */
export type LeaseOwner = { readonly plugin: string }

/** A port of the pool, and who uses it: an owner as often as it has leases. */
export type Port = {
  readonly plugin: string
  /** As in the config. */
  readonly text: string
  /** The key of the config that names it, where it is known. */
  readonly key: string | undefined
  readonly tls: boolean
  /** With the port that was chosen, once it was: that one it gets again. */
  wanted: ListenAddress
  readonly bound: BoundPort
  /** Settles when it was tried to bind it; rejects with a `ListenError`. */
  ready: Promise<void>
  readonly users: LeaseOwner[]
  /** Ports that it took the place of; while they are leased, they get it back. */
  readonly displaced: Port[]
}

/** The use of ports by one generation of a plugin. */
export interface ListenerLease extends TcpListener {
  /**
   * Binds addresses that a port of an earlier generation stands in the way of: that port stops listening, and goes on
   * when this lease is released before its own. Usually all is bound, and there is nothing to do.
   * @throws {ListenError}
   */
  bind(): Promise<void>
  /** From now on, new connections come here; until then they go to the lease activated before, or are held. */
  activate(): void
  /** Gives the ports up; one that nobody else leases is closed. Accepted connections live on. */
  release(): Promise<void>
}

type LeaseInit = {
  readonly owner: LeaseOwner
  readonly certificate: ServerCertificate | null
  readonly bind: (port: Port, owner: LeaseOwner) => Promise<void>
  readonly leave: (ports: readonly Port[], owner: LeaseOwner) => Promise<void>
}

export class Lease implements ListenerLease {
  readonly #init: LeaseInit
  readonly #handlers = new Map<Port, PortHandler>()
  #binding: Promise<void> | undefined
  #state: 'waiting' | 'active' | 'released' = 'waiting'

  constructor(init: LeaseInit) {
    this.#init = init
  }

  add(port: Port, handler: PortHandler): void {
    this.#handlers.set(port, handler)
  }

  get addresses(): { host: string; port: number; tls: boolean }[] {
    return [...this.#handlers.keys()].map(({ bound, wanted, tls }) => {
      const { host, port } = bound.listening ? bound.address : wanted
      return { host: host ?? '::', port, tls }
    })
  }

  bind(): Promise<void> {
    this.#binding ??= this.#bind()
    return this.#binding
  }

  activate(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'active'
    for (const [{ bound }, handler] of this.#handlers) bound.activate(handler)
  }

  async release(): Promise<void> {
    if (this.#state === 'released') return
    this.#state = 'released'
    this.#init.certificate?.close()
    for (const [{ bound }, handler] of this.#handlers) bound.deactivate(handler)
    // What is being bound can't be closed.
    await this.#binding?.catch(() => {})
    await this.#init.leave([...this.#handlers.keys()], this.#init.owner)
  }

  async #bind(): Promise<void> {
    for (const port of this.#handlers.keys()) await this.#init.bind(port, this.#init.owner)
  }
}
