import type { Socket } from 'node:net'
import type { HttpConfig } from 'sluice/sdk'
import type { ListenerLease } from '../net/listener-lease.ts'
import type { ListenerPool } from '../net/listener-pool.ts'

/** The config keys of listening addresses. */
export type ListenKeys = Pick<HttpConfig, 'listenaddr' | 'listenaddrtls' | 'certfile' | 'keyfile'>

/** The groups of `global` with the addresses of the server. */
export type ServerHttpConfig = {
  readonly http: HttpConfig
  /** The addresses of administration alone; where both are empty, it is at those of `http`. */
  readonly admin: ListenKeys
}

export type ServerListenersOptions = {
  readonly pool: ListenerPool
  readonly onConnection: (socket: Socket) => void
  /** Called with connections to the addresses of administration. */
  readonly onAdminConnection: (socket: Socket) => void
}

/** The protocols of the TLS addresses, the preferred first. */
const ALPN = ['h2', 'http/1.1']

/** The keys that a lease was made for; the lease is null where they name no address. */
type Bound = { readonly keys: ListenKeys; readonly lease: ListenerLease | null }
/** The name of the owner in log lines and errors of the pool; no plugin can have such a name. */
type Owner = 'the server' | 'the administration'

/** The server's own addresses, and those of administration where it has some. */
export class ServerListeners {
  readonly #options: ServerListenersOptions
  #public: Bound | undefined
  #admin: Bound | undefined

  constructor(options: ServerListenersOptions) {
    this.#options = options
  }

  /** The addresses of the server; empty before `listen`. */
  get addresses(): ListenerLease['addresses'] {
    return this.#public?.lease?.addresses ?? []
  }

  get adminAddresses(): ListenerLease['addresses'] {
    return this.#admin?.lease?.addresses ?? []
  }

  /** True when administration has addresses of its own. */
  get hasAdmin(): boolean {
    return (this.#admin?.lease ?? null) !== null
  }

  /**
   * Binds all new addresses, and only then leaves those that they replace.
   * @throws {ListenError} when one of them can't be bound; everything is as before then
   */
  async listen(config: ServerHttpConfig): Promise<void> {
    const before = [this.#public, this.#admin]
    const next = await this.#bound('the server', config.http, this.#public)
    try {
      this.#admin = await this.#bound('the administration', adminKeysOf(config), this.#admin)
    } catch (error) {
      if (next !== this.#public) await next.lease?.release()
      throw error
    }
    this.#public = next
    const after = [this.#public, this.#admin]
    for (const bound of after) bound.lease?.activate()
    for (const bound of before) if (!after.some((other) => other === bound)) await bound?.lease?.release()
  }

  /** Stops accepting. */
  async release(): Promise<void> {
    await this.#public?.lease?.release()
    await this.#admin?.lease?.release()
  }

  async #bound(owner: Owner, keys: ListenKeys, now: Bound | undefined): Promise<Bound> {
    if (now !== undefined && sameListeners(keys, now.keys)) return now
    if (isNowhere(keys)) return { keys, lease: null }
    const { pool, onConnection, onAdminConnection } = this.#options
    const isServer = owner === 'the server'
    const accept = isServer ? onConnection : onAdminConnection
    const config = tcpConfigOf(isServer ? 'global.http' : 'global.admin', keys)
    const lease = await pool.acquire({ plugin: owner }, config, accept)
    try {
      await lease.bind()
    } catch (error) {
      await lease.release()
      throw error
    }
    return { keys, lease }
  }
}

/** The config of a lease; its section names the keys in errors. */
export function tcpConfigOf(section: string, { listenaddr, listenaddrtls, certfile, keyfile }: ListenKeys) {
  return { section, listenaddr, listenaddrtls, certfile, keyfile, nodelay: true, keepalive: true, alpn: ALPN }
}

export function isNowhere({ listenaddr, listenaddrtls }: ListenKeys): boolean {
  return listenaddr === '' && listenaddrtls === ''
}

/** The addresses of administration, which needs a certificate of its own only where it has another host name. */
function adminKeysOf({ admin, http: { certfile, keyfile } }: ServerHttpConfig): ListenKeys {
  return admin.certfile === '' && admin.keyfile === '' ? { ...admin, certfile, keyfile } : admin
}

function sameListeners(a: ListenKeys, b: ListenKeys): boolean {
  const keys = ['listenaddr', 'listenaddrtls', 'certfile', 'keyfile'] as const
  return keys.every((key) => a[key] === b[key])
}
