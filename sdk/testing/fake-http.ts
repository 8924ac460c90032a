import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { fastify, type FastifyInstance } from 'fastify'

/** A plugin's fastify instance behind a real HTTP server on a free port of the loopback address, below its mounts. */
export class FakeHttp {
  readonly app: FastifyInstance
  readonly #mounts: readonly string[]
  readonly #front: Server
  readonly #upgraded = new Set<Duplex>()
  #origin = ''

  constructor(mounts: readonly string[]) {
    this.#mounts = mounts
    this.app = fastify({ serverFactory: (handler) => createServer(handler), routerOptions: { maxParamLength: 2048 } })
    this.#front = createServer((request, response) => {
      if (this.#route(request)) this.app.server.emit('request', request, response)
      else response.writeHead(404).end()
    })
    this.#front.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** `http://127.0.0.1:<port>`; the plugin's routes are below its mounts, as on a server. */
  get origin(): string {
    return this.#origin
  }

  /** Takes requests; the plugin's routes are complete. */
  async start(): Promise<void> {
    await this.app.ready()
    await once(this.#front.listen(0, '127.0.0.1'), 'listening')
    this.#origin = `http://127.0.0.1:${(this.#front.address() as AddressInfo).port}`
  }

  async dispose(): Promise<void> {
    for (const socket of this.#upgraded) socket.destroy()
    this.#front.closeAllConnections()
    if (this.#front.listening) await once(this.#front.close(), 'close')
    await this.app.close()
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgraded.add(socket)
    socket.once('close', () => this.#upgraded.delete(socket))
    // Without a listener for it, the error of a peer that resets would end the test run.
    socket.on('error', () => socket.destroy())
    if (!this.#route(request) || !this.app.server.emit('upgrade', request, socket, head)) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
    }
  }

  /** Strips the mount, and keeps what the client sent, as the host does. */
  #route(request: IncomingMessage): boolean {
    const original = request.url ?? '/'
    const mount = this.#mounts.find((name) => new RegExp(`^/${name}(?=[/?]|$)`, 'u').test(original))
    if (mount === undefined) return false
    const rest = original.slice(mount.length + 1)
    Object.assign(request, { originalUrl: original, url: rest.startsWith('/') ? rest : `/${rest}` })
    return true
  }
}
