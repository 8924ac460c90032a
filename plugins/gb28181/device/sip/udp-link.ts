import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { NO_ADDRESS, type HostPort, type SipLink, type SipLinkHandler } from './link.ts'
import type { SharedUdpSocket } from './shared-udp-socket.ts'
import { boundSocket, readMessages, sendTo } from './udp-socket.ts'

/** A socket of UDP of a device's own. */
export class UdpLink implements SipLink {
  readonly transport = 'UDP'
  readonly #server: HostPort
  #socket: Socket | undefined
  #local = NO_ADDRESS
  #isClosed = false

  constructor(server: HostPort) {
    this.#server = server
  }

  get local(): HostPort {
    return this.#local
  }

  async open(handler: SipLinkHandler): Promise<void> {
    const host = await localAddressTo(this.#server)
    const socket = await boundSocket(host)
    this.#local = { host, port: socket.address().port }
    if (this.#isClosed) return void socket.close()
    this.#socket = socket
    readMessages(socket, handler.onMessage)
  }

  send(bytes: Buffer): void {
    sendTo(this.#socket, bytes, this.#server)
  }

  close(): void {
    this.#isClosed = true
    this.#socket?.close()
    this.#socket = undefined
  }
}

/** The part of one device in a socket that several share. */
export class SharedUdpLink implements SipLink {
  readonly transport = 'UDP'
  readonly #shared: SharedUdpSocket
  readonly #server: HostPort
  readonly #users: readonly string[]
  #handler: SipLinkHandler | undefined

  /** @param users the ids of the device and of its channels */
  constructor(shared: SharedUdpSocket, server: HostPort, users: readonly string[]) {
    this.#shared = shared
    this.#server = server
    this.#users = users
  }

  get local(): HostPort {
    return this.#shared.local
  }

  async open(handler: SipLinkHandler): Promise<void> {
    this.#handler = handler
    await this.#shared.open(await localAddressTo(this.#server))
    if (this.#handler === handler) this.#shared.add(this.#users, handler)
  }

  send(bytes: Buffer): void {
    this.#shared.send(bytes, this.#server)
  }

  close(): void {
    if (this.#handler !== undefined) this.#shared.remove(this.#users, this.#handler)
    this.#handler = undefined
  }
}

/** The address of this machine from which a server is reached. */
async function localAddressTo({ host, port }: HostPort): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.connect(port, host)
    await once(socket, 'connect')
    return socket.address().address
  } finally {
    socket.close()
  }
}
