import { ListenError } from './listen-error.ts'
import type { Bound, LeaseOwner, Port, PortTable, PortWish } from './port-table.ts'

/** The use of ports by one owner: they are bound first, taken over later, and given up at the end. */
export class Lease<Handler, B extends Bound<Handler>> {
  /** The handlers of the leased ports. */
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
   * @throws {ListenError} when it can't be bound; the lease stays as it was then
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
   * Adds a port to the lease, or the port of another address when the system refuses the first.
   * @returns the reason why it is the other port; undefined when it is the first
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
   * Binds addresses that conflict with a port of an earlier generation: that port stops listening, and resumes when this
   * lease is released before its own. Usually all ports are bound already, and it does nothing.
   * @throws {ListenError}
   */
  bind(): Promise<void> {
    this.#binding ??= this.#bind()
    return this.#binding
  }

  /** Sends new connections and peers to this lease from now on; until then they go to the lease activated before. */
  activate(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'active'
    for (const [{ bound }, handler] of this.handlers) bound.activate(handler)
  }

  /** Gives the ports up; a port without another lease is closed. Idempotent. */
  async release(): Promise<void> {
    if (this.#state === 'released') return
    this.#state = 'released'
    for (const [{ bound }, handler] of this.handlers) bound.deactivate(handler)
    // A port can't be closed while it is being bound.
    await this.#binding?.catch(() => {})
    await this.#table.leave([...this.handlers.keys()], this.#owner)
  }

  async #bind(): Promise<void> {
    for (const port of this.handlers.keys()) await this.#table.bind(port, this.#owner)
  }
}

/** The address that a port listens on, or shall listen on. */
export function addressOf({ bound, wanted }: Port<Bound<never>>): { readonly host: string; readonly port: number } {
  if (bound.listening) return bound.address
  return { host: wanted.host ?? '::', port: wanted.port }
}
