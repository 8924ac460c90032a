import type { FastifyInstance } from 'fastify'
import type { TcpListener } from 'sluice/sdk'
import type { ListenerLease } from '../net/listener-lease.ts'
import type { HttpApp } from './http-app.ts'
import type { Mounted, MountTable } from './mount-table.ts'

/** The HTTP side of one generation of a plugin. */
export class PluginHttp implements Mounted {
  readonly name: string
  readonly mounts: readonly string[]
  readonly app: HttpApp
  readonly #table: MountTable<PluginHttp>
  #lease: ListenerLease | null = null
  #disposed = false

  constructor(plugin: Mounted, app: HttpApp, table: MountTable<PluginHttp>) {
    this.name = plugin.name
    this.mounts = plugin.mounts
    this.app = app
    this.#table = table
  }

  /** Where the plugin's routes go. Its `server` emits `upgrade`. */
  get instance(): FastifyInstance {
    return this.app.fastify
  }

  /** The plugin's own addresses; empty where it has none besides the server's. */
  get addresses(): TcpListener['addresses'] {
    return this.#lease?.addresses ?? []
  }

  /** Requests and WebSockets of this generation that have not ended. */
  get openRequests(): number {
    return this.app.openRequests
  }

  /** Takes over a lease of the plugin's own addresses. */
  listenOn(lease: ListenerLease): void {
    this.#lease = lease
  }

  /**
   * Finishes the fastify instance and sends new requests here; those open with the generation before go on.
   * @throws what a `ready` hook or a fastify plugin rejects with
   * @throws {ListenError} when an address can't be bound; the generation before then goes on, once this is disposed
   */
  async activate(): Promise<void> {
    await this.instance.ready()
    await this.#lease?.bind()
    if (this.#disposed) throw new Error(`${this.name}: unloaded while it started`)
    this.#table.activate(this)
    this.#lease?.activate()
  }

  /** Gives prefixes and addresses up: new requests go elsewhere, and those that are open go on. Idempotent. */
  async retire(): Promise<void> {
    this.#table.drop(this)
    await this.#lease?.release()
  }

  /** Retires, and ends what is still open. */
  async dispose(): Promise<void> {
    if (this.#disposed) return
    this.#disposed = true
    await this.retire()
    await this.app.close()
  }
}
