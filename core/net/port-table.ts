import type { Logger } from 'pino'
import { errorCode, messageOf } from 'sluice/sdk'
import { formatAddress, parseListenAddress, type ListenAddress } from './address.ts'
import { ListenError, TAKEN_OUTSIDE } from './listen-error.ts'

/**
 * An owner of leases: one generation of a plugin, compared by identity. The generations of a plugin share ports by its name.
 */
export type LeaseOwner = { readonly plugin: string }

/** A port of the system that outlives the handlers that use it: they are activated and deactivated. */
export interface Bound<Handler> {
  readonly listening: boolean
  /** The bound address with the real port, also for port 0; the port is 0 while it does not listen. */
  readonly address: { readonly host: string; readonly port: number }
  /** @throws {Error} with a `code` when the address can't be bound */
  listen(address: ListenAddress): Promise<void>
  activate(handler: Handler): void
  deactivate(handler: Handler): void
  /** Stops listening for a while. */
  pause(): void
  /** Takes no new connections or peers, and stops listening for good. */
  close(): void
}

/** A port of the table, and its owners: an owner is listed once for each of its leases. */
export type Port<B> = {
  readonly plugin: string
  /** The address as in the config. */
  readonly text: string
  /** The config key of the address, where it is known. */
  readonly key: string | undefined
  /** The kind of the port, which distinguishes ports of one address, such as TLS and plain ones. */
  readonly kind: string
  /** The wanted address; once the system has chosen a port, with that port, so that the same one is bound again. */
  wanted: ListenAddress
  readonly bound: B
  /** Settles when the attempt to bind the port has ended; rejects with a `ListenError`. */
  ready: Promise<void>
  readonly users: LeaseOwner[]
  readonly openedAt: Date
  /** The ports that stopped listening for this one; they resume when it is closed, while they are leased. */
  readonly displaced: Port<B>[]
}

/** An address that a config asks for. */
export type PortWish<B> = {
  readonly text: string
  readonly key: string | undefined
  readonly kind: string
  /** Makes the bound port, when no owner of the same name has it already. */
  readonly create: (log: Logger) => B
}

/** The ports of one transport. The same address text of the same plugin is the same port, also `:0`. */
export class PortTable<B extends Bound<never>> {
  readonly #ports = new Map<string, Port<B>>()
  readonly #transport: string
  readonly #log: Logger
  #closed = false

  constructor(transport: string, log: Logger) {
    this.#transport = transport
    this.#log = log
  }

  /** The ports that listen. */
  listening(): Port<B>[] {
    return [...this.#ports.values()].filter(({ bound }) => bound.listening)
  }

  /**
   * Binds an address, or joins the port that an owner of the same name has bound already. An address that conflicts only
   * with another port of such an owner, as `127.0.0.1:1935` with `:1935`, is bound later, by `bind`.
   * @param join called with the port before it is bound; the caller must leave the port even when that fails
   * @throws {ListenError}
   */
  async take(owner: LeaseOwner, wish: PortWish<B>, join: (port: Port<B>) => void): Promise<void> {
    const { plugin } = owner
    if (this.#closed) throw closedError(plugin, wish.text)
    const port = this.#ports.get(keyOf({ plugin, ...wish })) ?? this.#open(plugin, wish)
    port.users.push(owner)
    join(port)
    try {
      await port.ready
    } catch (error) {
      const inUse = error instanceof ListenError && error.code === 'EADDRINUSE'
      if (!inUse || this.#inTheWay(port, owner).length === 0) throw error
    }
  }

  /**
   * Binds a port that conflicts with another one, which stops listening and resumes when this one is left.
   * @throws {ListenError}
   */
  async bind(port: Port<B>, owner: LeaseOwner): Promise<void> {
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

  /** Gives ports up; a port without another user is closed. */
  async leave(ports: readonly Port<B>[], owner: LeaseOwner): Promise<void> {
    const left: Port<B>[] = []
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

  /** Closes all ports. */
  close(): void {
    this.#closed = true
    for (const { bound } of this.#ports.values()) bound.close()
    this.#ports.clear()
  }

  #open(plugin: string, { text, key, kind, create }: PortWish<B>): Port<B> {
    const wanted = parseAddress(plugin, text, key)
    const bound = create(this.#log.child({ owner: plugin, address: text }))
    const init = { plugin, text, key, kind, wanted, bound }
    const port: Port<B> = { ...init, ready: Promise.resolve(), users: [], openedAt: new Date(), displaced: [] }
    port.ready = this.#listen(port)
    this.#ports.set(keyOf(port), port)
    return port
  }

  async #listen(port: Port<B>): Promise<void> {
    const { plugin, text, key, wanted, bound } = port
    try {
      await bound.listen(wanted)
      port.wanted = { ...wanted, port: bound.address.port }
    } catch (cause) {
      const code = errorCode(cause) || 'ADDRESS'
      const why = this.#explain(code, cause, wanted)
      throw new ListenError({ code, owner: plugin, address: text, key, why, cause })
    }
    if (this.#closed) {
      bound.close()
      throw closedError(plugin, text)
    }
    const { address } = bound
    const what = `listening on ${formatAddress(address.host, address.port)}${this.#transport}`
    this.#log.info({ owner: plugin, address: text, ...address }, what)
  }

  /** The ports that earlier owners of the same name listen on, and that conflict with this one. */
  #inTheWay(port: Port<B>, owner: LeaseOwner): Port<B>[] {
    return [...this.#ports.values()].filter(
      ({ plugin, bound, users }) =>
        plugin === port.plugin && bound.address.port === port.wanted.port && !users.includes(owner),
    )
  }

  async #restore(port: Port<B>): Promise<void> {
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

function keyOf({ plugin, text, kind }: Pick<Port<unknown>, 'plugin' | 'text' | 'kind'>): string {
  return `${plugin} ${text} ${kind}`
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
