import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Quirks } from '../quirks.ts'
import type { Timers } from '../timers.ts'
import type { MediaSocket, MediaSocketInit } from './media-socket.ts'
import { StreamFraming } from './stream-framing.ts'

/** A refused connection is tried again so often, with pauses of a second (GB/T 28181-2022 9.2.2.2). */
const CONNECT_TRIES = 3
const RETRY_MS = 1000
/** The bytes that may wait for the platform. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024
/** The longest wait of sent bytes for the platform, once the session has ended. */
const LINGER_MS = 5000
/** The port that an active side states (RFC 4145 4.1). */
const DISCARD_PORT = 9

export type TcpMediaInit = MediaSocketInit & { readonly quirks: Quirks; readonly timers: Timers }

/** Sends packets over a connection that the device makes to the platform. */
export class TcpMediaClient implements MediaSocket {
  readonly port = DISCARD_PORT
  readonly #init: TcpMediaInit
  readonly #stream: MediaConnection
  #isClosed = false

  constructor(init: TcpMediaInit) {
    this.#init = init
    this.#stream = new MediaConnection(init)
  }

  get isCongested(): boolean {
    return this.#stream.isCongested
  }

  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const socket = connect({ ...this.#init.peer, localAddress: this.#init.host })
      try {
        await once(socket, 'connect')
        if (this.#isClosed) socket.destroy()
        else this.#stream.use(socket)
        return
      } catch (error) {
        if (tries === CONNECT_TRIES || this.#isClosed) throw error
        await new Promise<void>((resolve) => void this.#init.timers.after(RETRY_MS, resolve))
      }
    }
  }

  send(packets: readonly Buffer[]): void {
    this.#stream.send(packets)
  }

  close(): void {
    this.#isClosed = true
    this.#stream.close()
  }
}

/** Waits for the platform to connect, and sends packets then. */
export class TcpMediaServer implements MediaSocket {
  readonly #server: Server
  readonly #stream: MediaConnection
  readonly #connected = Promise.withResolvers<void>()

  private constructor(server: Server, init: TcpMediaInit) {
    this.#server = server
    this.#stream = new MediaConnection(init)
    server.on('connection', (socket: Socket) => {
      if (this.#stream.isOpen) socket.destroy()
      else this.#stream.use(socket)
      this.#connected.resolve()
    })
  }

  static async open(init: TcpMediaInit): Promise<TcpMediaServer> {
    const server = createServer({ noDelay: true })
    server.listen(0, init.host)
    await once(server, 'listening')
    return new TcpMediaServer(server, init)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get isCongested(): boolean {
    return this.#stream.isCongested
  }

  start(): Promise<void> {
    return this.#connected.promise
  }

  send(packets: readonly Buffer[]): void {
    this.#stream.send(packets)
  }

  close(): void {
    this.#server.close()
    this.#stream.close()
    this.#connected.resolve()
  }
}

class MediaConnection {
  readonly #framing: StreamFraming
  readonly #onClosed: () => void
  #socket: Socket | undefined

  constructor({ quirks, onClosed }: TcpMediaInit) {
    this.#framing = new StreamFraming(quirks)
    this.#onClosed = onClosed
  }

  get isOpen(): boolean {
    return this.#socket !== undefined
  }

  get isCongested(): boolean {
    return (this.#socket?.writableLength ?? 0) > MAX_WAITING_BYTES
  }

  use(socket: Socket): void {
    this.#socket = socket
    socket.on('error', () => {})
    // What comes in is of no use, but the end is seen only when it is read.
    socket.resume()
    socket.on('close', () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#onClosed()
    })
  }

  send(packets: readonly Buffer[]): void {
    this.#socket?.write(this.#framing.frame(packets))
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    // A platform that takes nothing any more isn't waited for.
    socket?.setTimeout(LINGER_MS, () => socket.destroy())
    socket?.destroySoon()
  }
}
