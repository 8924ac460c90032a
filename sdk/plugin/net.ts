import type { Socket } from 'node:net'
import type { TcpConfig } from '../config/groups.ts'

/** The addresses on which a plugin accepts connections; they are given up when it is unloaded. */
export interface TcpListener {
  /** The bound addresses, those of TLS included, with the real port where the config asks for port 0. */
  readonly addresses: readonly { readonly host: string; readonly port: number; readonly tls: boolean }[]
}

/** Listeners that the host lends: their ports stay bound while a plugin is replaced. */
export interface Net {
  /**
   * Accepts TCP connections on `listenaddr`, and TLS ones on `listenaddrtls`, where these are not empty. While the plugin is
   * replaced, new connections go to the old generation until the new one is up. Whoever gets a socket must listen to its
   * `error` event; where `onConnection` throws or rejects, the connection ends.
   * @throws {Error} with `code` `EADDRINUSE` and the like when an address can't be bound. A `setup` that lets it through
   *   is tried again until the address is free.
   */
  tcp(config: TcpConfig, onConnection: (socket: Socket) => void): Promise<TcpListener>
}
