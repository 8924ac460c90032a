import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { once } from 'node:events'
import { generate } from 'selfsigned'
import type { Logger } from 'pino'
import type { TcpConfig } from '../config/groups.ts'
import type { Net, TcpListener } from '../plugin/net.ts'

const LOOPBACK = '127.0.0.1'

/** Real listeners on free ports of the loopback address, whatever addresses the config names; none for an empty one. */
export class FakeNet implements Net {
  /** The listeners in the order they were asked for. */
  readonly listeners: TcpListener[] = []
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  async tcp(config: TcpConfig, onConnection: (socket: Socket) => void): Promise<TcpListener> {
    const accept = (socket: Socket) => this.#accept(socket, onConnection)
    const addresses: TcpListener['addresses'][number][] = []
    if (config.listenaddr !== '') addresses.push(await this.#listen(createTcpServer(accept), false))
    if (config.listenaddrtls !== '') addresses.push(await this.#listen(await tlsServer(accept), true))
    const listener = { addresses }
    this.listeners.push(listener)
    return listener
  }

  /**
   * The port of the first listener, plain or TLS.
   * @throws {Error} when there is none
   */
  port(kind: 'tcp' | 'tls' = 'tcp'): number {
    const addresses = this.listeners.flatMap((listener) => listener.addresses)
    const address = addresses.find(({ tls }) => tls === (kind === 'tls'))
    if (address === undefined) throw new Error(`the plugin listens on no ${kind} address`)
    return address.port
  }

  /** Closes listeners and connections. */
  async dispose(): Promise<void> {
    const closed = this.#servers.map((server) => once(server.close(), 'close'))
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(closed)
  }

  async #listen(server: Server, tls: boolean): Promise<TcpListener['addresses'][number]> {
    this.#servers.push(server)
    await once(server.listen(0, LOOPBACK), 'listening')
    return { host: LOOPBACK, port: (server.address() as AddressInfo).port, tls }
  }

  #accept(socket: Socket, onConnection: (socket: Socket) => void): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    try {
      onConnection(socket)
    } catch (error) {
      this.#log.error({ err: error }, 'a connection handler failed')
      socket.destroy()
    }
  }
}

async function tlsServer(accept: (socket: Socket) => void): Promise<Server> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
  return createTlsServer({ cert, key }, accept)
}
