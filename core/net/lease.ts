import { ListenError } from './listen-error.ts'
import type { Bound, LeaseOwner, Port, PortTable, PortWish } from './port-table.ts'

/** The use of ports by one owner: bound first, taken over later, and given up at the end. */
export class Lease<Handler, B extends Bound<Handler>> {
  /** What gets that which comes in at each port. */
  protected readonly handlers = new Map<Port<B>, Handler>()
  readonly #owner: LeaseOwner
  readonly #table: PortTable<B>
  #binding: Promise<void> | undefined
  #state: 'waiting' | 'active' | 'released' = 'waiting'

  constructor(owner: LeaseOwner, table: PortTable<B>) {
    this.#owner = owner
    this.#table = table
  }

  /**
   * Adds a port to the lease.
   * @throws {ListenError} when it can't be bound; the lease is as before then
   */
  async take(wish: PortWish<B>, handler: Handler): Promise<void> {
    const joined: Port<B>[] = []
    const join = (port: Port<B>) => {
      joined.push(port)
      this.handlers.set(port, handler)
    }
    try {
      await this.#table.take(this.#owner, wish, join)
    } catch (error) {
      for (const port of joined) this.handlers.delete(port)
      await this.#table.leave(joined, this.#owner)
      throw error
    }
  }

  /**
   * Adds a port to the lease, or the one of another address where the system does not let this server have the first.
   * @returns why it is the other one; undefined where it is the first
   * @throws {ListenError} as `take` does
   */
  async takeEither(
    wish: PortWish<B>,
    fallback: string | undefined,
    handler: Handler,
  ): Promise<ListenError | undefined> {
    try {
      await this.take(wish, handler)
      return undefined
    } catch (error) {
      if (fallback === undefined || !(error instanceof ListenError) || error.code !== 'EACCES') throw error
      await this.take({ ...wish, text: fallback }, handler)
      return error
    }
  }

  /**
   * Binds addresses that a port of an earlier generation stands in the way of: that port stops listening, and goes on
   * when this lease is released before its own. Usually all is bound, and there is nothing to do.
   * @throws {ListenError}
   */
  bind(): Promise<void> {
    this.#binding ??= this.#bind()
    return this.#binding
  }

  /** From now on, what is new comes here; until then it goes to the lease activated before. */
  activate(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'active'
    for (const [{ bound }, handler] of this.handlers) bound.activate(handler)
  }

  /** Gives the ports up; one that nobody else leases is closed. Idempotent. */
  async release(): Promise<void> {
    if (this.#state === 'released') return
    this.#state = 'released'
    for (const [{ bound }, handler] of this.handlers) bound.deactivate(handler)
    // What is being bound can't be closed.
    await this.#binding?.catch(() => {})
    await this.#table.leave([...this.handlers.keys()], this.#owner)
  }

  async #bind(): Promise<void> {
    for (const port of this.handlers.keys()) await this.#table.bind(port, this.#owner)
  }
}

/** Where a port listens, or is to listen. */
export function addressOf({ bound, wanted }: Port<Bound<never>>): { readonly host: string; readonly port: number } {
  if (bound.listening) return bound.address
  return { host: wanted.host ?? '::', port: wanted.port }
}
