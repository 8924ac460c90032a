import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { fastify, type FastifyInstance } from 'fastify'
import { errorReply } from '../host/error-reply.ts'
import { OperationRoutes, type OperationTarget } from '../host/operation-routes.ts'
import { SocketTable } from '../host/socket-table.ts'

/**
 * A plugin's fastify instance behind a real HTTP server on a free port of the loopback address, below its mounts, and its
 * operations, which everybody may call.
 */
export class FakeHttp {
  readonly app: FastifyInstance
  readonly operations: OperationRoutes
  readonly #mounted: OperationTarget
  /** Answers what has absolute paths. */
  readonly #absolute: OperationTarget
  readonly #mounts: readonly string[]
  readonly #front: Server
  readonly #upgraded = new Set<Duplex>()
  #origin = ''

  constructor(mounts: readonly string[]) {
    this.#mounts = mounts
    this.#mounted = createTarget()
    this.#absolute = createTarget()
    this.app = this.#mounted.fastify
    this.operations = new OperationRoutes({
      targetOf: ({ isAbsolute }) => (isAbsolute ? this.#absolute : this.#mounted),
    })
    this.#front = createServer((request, response) => {
      const target = this.#route(request)
      if (target) target.fastify.server.emit('request', request, response)
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
    await Promise.all([this.app.ready(), this.#absolute.fastify.ready()])
    await once(this.#front.listen(0, '127.0.0.1'), 'listening')
    this.#origin = `http://127.0.0.1:${(this.#front.address() as AddressInfo).port}`
  }

  async dispose(): Promise<void> {
    for (const socket of this.#upgraded) socket.destroy()
    this.#front.closeAllConnections()
    if (this.#front.listening) await once(this.#front.close(), 'close')
    await Promise.all([this.app.close(), this.#absolute.fastify.close()])
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgraded.add(socket)
    socket.once('close', () => this.#upgraded.delete(socket))
    // The error of a peer that resets would end the test run without a listener.
    socket.on('error', () => socket.destroy())
    const target = this.#route(request)
    const operation = target?.sockets.find(request.url ?? '/')
    const refuse = (error: unknown) => refuseUpgrade(socket, errorReply(error).statusCode)
    if (operation) operation.open(request, socket, head).catch(refuse)
    else if (target?.fastify.server.emit('upgrade', request, socket, head) !== true) refuseUpgrade(socket, 404)
  }

  /** Returns the target that answers. Strips the mount, and keeps what the client sent, as the host does. */
  #route(request: IncomingMessage): OperationTarget | undefined {
    const original = request.url ?? '/'
    const mount = this.#mounts.find((name) => new RegExp(`^/${name}(?=[/?]|$)`, 'u').test(original))
    if (mount === undefined || this.operations.hasAbsolute(original)) return this.#absolute
    const rest = original.slice(mount.length + 1)
    Object.assign(request, { originalUrl: original, url: rest.startsWith('/') ? rest : `/${rest}` })
    return this.#mounted
  }
}

function createTarget(): OperationTarget {
  const app = fastify({
    serverFactory: (handler) => createServer(handler),
    routerOptions: { maxParamLength: 2048 },
  })
  app.setErrorHandler((error, _request, reply) => {
    const { statusCode, headers, body } = errorReply(error)
    return reply.code(statusCode).headers(headers).send(body)
  })
  return { fastify: app, sockets: new SocketTable() }
}

function refuseUpgrade(socket: Duplex, statusCode: number): void {
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\nConnection: close\r\n\r\n`)
}
