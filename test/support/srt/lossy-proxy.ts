import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { keep } from '../../peers/lifetime.ts'
import { BadLink, noCounts, type LinkCounts, type LinkPolicy } from './bad-link.ts'

/** The way of a datagram through a proxy. */
export type SrtDirection = 'toServer' | 'toClient'

export type SrtProxyInit = {
  /** The UDP port of the one who listens, of this machine. */
  readonly serverPort: number
  /** What happens on the way from a client to the server, and back. By default nothing. */
  readonly policies?: Readonly<Partial<Record<SrtDirection, LinkPolicy>>>
}

/** Room for what comes while the process is busy. */
const BUFFER_BYTES = 4 * 1024 * 1024

/**
 * Stands between callers of SRT and one who listens: passes on their datagrams over IPv4, each client's from a port of its
 * own, and does to them what its policies say. It ends with the test that started it, at the latest.
 */
export class SrtLossyProxy {
  readonly #init: SrtProxyInit
  readonly #socket: Socket
  readonly #clients = new Map<string, ProxiedClient>()
  readonly #counts: Readonly<Record<SrtDirection, LinkCounts>> = { toServer: noCounts(), toClient: noCounts() }
  #isClosed = false

  private constructor(init: SrtProxyInit, socket: Socket) {
    this.#init = init
    this.#socket = socket
    socket.on('message', (datagram, from) => this.#clientOf(from).toServer(datagram))
  }

  static async start(init: SrtProxyInit): Promise<SrtLossyProxy> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: BUFFER_BYTES })
    const proxy = new SrtLossyProxy(init, socket)
    keep(proxy)
    const listening = once(socket, 'listening')
    socket.bind(0, '127.0.0.1')
    await listening
    return proxy
  }

  /** Where clients find it. */
  get port(): number {
    return this.#socket.address().port
  }

  /** The ports at which the server sees its clients, in the order in which they came. */
  get clientPorts(): readonly number[] {
    return [...this.#clients.values()].map(({ port }) => port)
  }

  /** What became of all datagrams that went one way. */
  counts(direction: SrtDirection): LinkCounts {
    return { ...this.#counts[direction] }
  }

  /** From now on nothing is passed on any more. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close()
    for (const client of this.#clients.values()) client.close()
  }

  #clientOf(from: RemoteInfo): ProxiedClient {
    const name = `${from.address}:${from.port}`
    const known = this.#clients.get(name)
    if (known !== undefined) return known
    const { serverPort, policies = {} } = this.#init
    const link = (direction: SrtDirection, send: (datagram: Buffer) => void) =>
      new BadLink(policies[direction] ?? {}, this.#clients.size, this.#counts[direction], send)
    const answer = (datagram: Buffer) => {
      if (!this.#isClosed) this.#socket.send(datagram, from.port, from.address)
    }
    const client = new ProxiedClient(serverPort, link, answer)
    this.#clients.set(name, client)
    return client
  }
}

/** What goes between one client and the server. */
class ProxiedClient {
  readonly #socket = createSocket({ type: 'udp4', recvBufferSize: BUFFER_BYTES })
  readonly #toServer: BadLink
  readonly #toClient: BadLink
  #isClosed = false

  constructor(
    serverPort: number,
    link: (direction: SrtDirection, send: (datagram: Buffer) => void) => BadLink,
    answer: (datagram: Buffer) => void,
  ) {
    this.#toServer = link('toServer', (datagram) => {
      if (!this.#isClosed) this.#socket.send(datagram, serverPort, '127.0.0.1')
    })
    this.#toClient = link('toClient', answer)
    this.#socket.on('message', (datagram) => this.#toClient.push(datagram))
    // Nobody listens, yet or any more: a datagram that was lost.
    this.#socket.on('error', () => {})
  }

  /** As the server sees it. */
  get port(): number {
    return this.#socket.address().port
  }

  toServer(datagram: Buffer): void {
    this.#toServer.push(datagram)
  }

  close(): void {
    this.#isClosed = true
    this.#toServer.close()
    this.#toClient.close()
    this.#socket.close()
  }
}
