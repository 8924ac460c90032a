import type { Socket } from 'node:dgram'
import { userOf } from './address.ts'
import { NO_ADDRESS, type HostPort, type SipLinkHandler } from './link.ts'
import { headerOf, type SipMessage } from './message.ts'
import { boundSocket, readMessages, sendTo } from './udp-socket.ts'

/**
 * One socket of UDP for many devices, as a gateway has them. A request goes to the device whose id, or whose channel's, its URI or its
 * `To` names; a response to the one that its `From` names.
 */
export class SharedUdpSocket {
  readonly #handlers = new Map<string, SipLinkHandler>()
  #opening: Promise<void> | undefined
  #socket: Socket | undefined
  #local = NO_ADDRESS

  /** The own address; known once it is open. */
  get local(): HostPort {
    return this.#local
  }

  /** Opens it at an address, if it isn't open. */
  open(host: string): Promise<void> {
    this.#opening ??= this.#open(host)
    return this.#opening
  }

  add(users: readonly string[], handler: SipLinkHandler): void {
    for (const user of users) this.#handlers.set(user, handler)
  }

  /** Takes a device's ids back, and closes the socket with the last device. */
  remove(users: readonly string[], handler: SipLinkHandler): void {
    for (const user of users) if (this.#handlers.get(user) === handler) this.#handlers.delete(user)
    if (this.#handlers.size > 0) return
    this.#socket?.close()
    this.#socket = undefined
    this.#opening = undefined
  }

  send(bytes: Buffer, to: HostPort): void {
    sendTo(this.#socket, bytes, to)
  }

  async #open(host: string): Promise<void> {
    const socket = await boundSocket(host)
    this.#socket = socket
    this.#local = { host, port: socket.address().port }
    readMessages(socket, (message, source, answer) => this.#handlerOf(message)?.onMessage(message, source, answer))
  }

  #handlerOf(message: SipMessage): SipLinkHandler | undefined {
    const fields = message.kind === 'response' ? [headerOf(message, 'From')] : [message.uri, headerOf(message, 'To')]
    const user = fields.map(userOf).find((name) => this.#handlers.has(name))
    return user === undefined ? undefined : this.#handlers.get(user)
  }
}
