import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { MalformedError } from 'sluice/sdk/media'
import { NO_ADDRESS, type HostPort, type SipLink, type SipLinkHandler } from './link.ts'
import { SipStreamReader } from './stream-reader.ts'

/** A connection to the server. */
export class TcpLink implements SipLink {
  readonly transport = 'TCP'
  readonly #server: HostPort
  #socket: Socket | undefined
  #local = NO_ADDRESS

  constructor(server: HostPort) {
    this.#server = server
  }

  get local(): HostPort {
    return this.#local
  }

  async open(handler: SipLinkHandler): Promise<void> {
    const socket = connect({ ...this.#server, noDelay: true })
    this.#socket = socket
    await once(socket, 'connect')
    this.#local = { host: socket.localAddress ?? NO_ADDRESS.host, port: socket.localPort ?? 0 }
    const reader = new SipStreamReader()
    const answer = (bytes: Buffer) => void socket.write(bytes)
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const message of reader.push(bytes)) handler.onMessage(message, this.#server, answer)
      } catch (error) {
        if (!(error instanceof MalformedError)) throw error
        socket.destroy()
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      handler.onClosed()
    })
  }

  send(bytes: Buffer): void {
    this.#socket?.write(bytes)
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    if (socket?.connecting === true) return void socket.destroy(new Error('the link was closed'))
    // What was written goes out first, such as the response to the request that ends it all.
    socket?.destroySoon()
  }
}
