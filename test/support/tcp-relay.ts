import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { keep } from '../peers/lifetime.ts'

/** Stands between a client and a server, so that either loses the other as if that had been killed. It ends with the test. */
export class TcpRelay {
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  /** How many connections there have been. */
  connections = 0
  /** Of the server, on this machine: another one takes the connections that come from then on. */
  target: number
  #port = 0

  private constructor(target: number) {
    this.target = target
  }

  /** @param target port of the server on this machine */
  static async start(target: number): Promise<TcpRelay> {
    const relay = new TcpRelay(target)
    const server = createServer((socket) => relay.#join(socket, connect(relay.target, '127.0.0.1')))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    relay.#port = (server.address() as AddressInfo).port
    keep({
      close() {
        server.close()
        relay.kill()
      },
    })
    return relay
  }

  get port(): number {
    return this.#port
  }

  /** Connections that are open. */
  get size(): number {
    return this.#pairs.size
  }

  /** Cuts all connections at once. */
  kill(): void {
    for (const sockets of this.#pairs) for (const socket of sockets) socket.resetAndDestroy()
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const
    this.#pairs.add(pair)
    this.connections += 1
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.once('close', () => {
        this.#pairs.delete(pair)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  }
}
