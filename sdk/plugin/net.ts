import type { Socket } from 'node:net'
import type { TcpConfig } from '../config/groups.ts'

/** Addresses that accept connections for a plugin; they are given up when it is unloaded. */
export interface TcpListener {
  /** What it is bound to, for example `:1935`, with the real port when 0 was asked for; TLS addresses too. */
  readonly addresses: readonly { readonly host: string; readonly port: number; readonly tls: boolean }[]
}

/** Listeners lent by the host, which keeps their ports bound across reloads. */
export interface Net {
  /**
   * Accepts TCP connections, and TLS ones where `listenaddrtls` is set; while the plugin is replaced, new connections
   * go to the old generation until the new one is up. Whoever gets a socket must handle its errors.
   * @throws {Error} with `code` `EADDRINUSE` and the like when an address can't be bound
   */
  tcp(config: TcpConfig, onConnection: (socket: Socket) => void): Promise<TcpListener>
}
