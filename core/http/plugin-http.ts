import type { FastifyInstance } from 'fastify'
import type { TcpListener } from 'sluice/sdk'
import { OperationRoutes, type OperationPeers, type Spelling } from 'sluice/sdk/host'
import type { ListenerLease } from '../net/listener-lease.ts'
import type { ProcessIds } from '../base/process-ids.ts'
import type { HttpApp } from './http-app.ts'
import type { SessionTokens } from './session-tokens.ts'
import type { Mounted, Mounts, MountTable } from './mount-table.ts'

export type PluginHttpOptions = {
  readonly plugin: Mounts
  readonly app: HttpApp
  readonly table: MountTable<PluginHttp>
  readonly ids: ProcessIds
  readonly tokens: SessionTokens
  /** The other processes, for the operations of the plugin. */
  readonly peers: OperationPeers
  /** Makes the app of the plugin's operations that have absolute paths; most plugins have none. */
  readonly createAdministration: () => HttpApp
  /** @throws {Error} when the spelling is not for this plugin */
  readonly claim: (plugin: PluginHttp, spelling: Spelling) => void
}

/** The HTTP side of one generation of a plugin. */
export class PluginHttp implements Mounted {
  readonly name: string
  readonly mounts: readonly string[]
  readonly id: number
  readonly app: HttpApp
  readonly operations: OperationRoutes
  readonly #options: PluginHttpOptions
  #administration: HttpApp | undefined
  #lease: ListenerLease | null = null
  #disposed = false

  constructor(options: PluginHttpOptions) {
    this.name = options.plugin.name
    this.mounts = options.plugin.mounts
    this.id = options.ids.take()
    this.app = options.app
    this.operations = new OperationRoutes({
      targetOf: (spelling) => this.#targetOf(spelling),
      peers: options.peers,
    })
    this.#options = options
  }

  /** The app of the operations that have absolute paths; undefined where there are none. */
  get administration(): HttpApp | undefined {
    return this.#administration
  }

  /** The fastify instance for the plugin's routes. Its `server` emits `upgrade`. */
  get instance(): FastifyInstance {
    return this.app.fastify
  }

  /** The plugin's own addresses; empty where it has none besides the server's. */
  get addresses(): TcpListener['addresses'] {
    return this.#lease?.addresses ?? []
  }

  /** The number of requests and WebSockets of this generation that have not ended. */
  get openRequests(): number {
    return this.app.openRequests + (this.#administration?.openRequests ?? 0)
  }

  /**
   * The app that answers a path below one of the plugin's mounts, and the URL that it sees.
   * @param rest the URL without the mount
   */
  routeBelowMount(url: string, rest: string): { readonly app: HttpApp; readonly url: string } {
    if (this.#administration === undefined || !this.operations.hasAbsolute(url)) return { app: this.app, url: rest }
    return { app: this.#administration, url }
  }

  /** See `PluginContext.sessionToken`. */
  sessionToken(): string {
    return this.#options.tokens.create(this.id)
  }

  /** Takes over a lease of the plugin's own addresses. */
  listenOn(lease: ListenerLease): void {
    this.#lease = lease
  }

  /**
   * Finishes the fastify instance and sends new requests here; open requests of the generation before go on.
   * @throws {unknown} the error that a `ready` hook or a fastify plugin rejects with
   * @throws {ListenError} when an address can't be bound; the generation before then goes on, once this is disposed
   */
  async activate(): Promise<void> {
    await this.instance.ready()
    await this.#administration?.fastify.ready()
    await this.#lease?.bind()
    if (this.#disposed) throw new Error(`${this.name}: unloaded while it started`)
    this.#options.table.activate(this)
    this.#lease?.activate()
  }

  /**
   * Gives prefixes and addresses up: new requests go elsewhere, except those with a token of this generation; open requests
   * go on. Idempotent.
   */
  async retire(): Promise<void> {
    this.#options.table.retire(this)
    await this.#lease?.release()
  }

  /** Takes no requests any more; open requests go on. */
  leave(): void {
    this.#options.table.drop(this)
  }

  /** Retires, and ends open requests. */
  async dispose(): Promise<void> {
    if (this.#disposed) return
    this.#disposed = true
    this.leave()
    await this.#lease?.release()
    await this.app.close()
    await this.#administration?.close()
    this.#options.ids.release(this.id)
  }

  #targetOf(spelling: Spelling): HttpApp {
    if (!spelling.isAbsolute) return this.app
    this.#options.claim(this, spelling)
    this.#administration ??= this.#options.createAdministration()
    return this.#administration
  }
}
