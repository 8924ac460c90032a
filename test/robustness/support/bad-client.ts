import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { waitFor } from '../../peers/wait-for.ts'
import { RtmpClient } from './rtmp-client.ts'
import type { LogLine, ServerProcess } from './server-process.ts'

/** A connection that says what it is told. Unless told to, it reads all and throws it away. */
export class BadClient {
  readonly socket: Socket
  /** When it began: what the server said of this port before is of another client, as the kernel gives ports again. */
  readonly since: string
  readonly #closed: Promise<void>
  #port: number
  #address: string
  #received = ''

  /** @param since for a connection that has said something already: when it began */
  constructor(socket: Socket, since = new Date().toISOString()) {
    this.socket = socket
    this.since = since
    this.#port = socket.localPort ?? 0
    this.#address = socket.localAddress ?? ''
    socket.once('connect', () => {
      this.#port = socket.localPort ?? 0
      this.#address = socket.localAddress ?? ''
    })
    socket.on('error', () => {})
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  /** @param localAddress where it comes from: one that no other client has, where it ends while others come and go */
  static async dial(port: number, localAddress = '127.0.0.1'): Promise<BadClient> {
    const client = new BadClient(connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true }))
    client.socket.on('data', (bytes) => {
      client.#received = (client.#received + bytes.toString()).slice(0, 1000)
    })
    client.socket.once('end', () => client.socket.end())
    await new Promise<void>((resolve) => client.socket.once('connect', resolve))
    return client
  }

  /** Past the handshake and `connect`, with a message stream 1. */
  static async connected(port: number): Promise<{ readonly bad: BadClient; readonly rtmp: RtmpClient }> {
    const rtmp = await RtmpClient.connect({ port })
    return { bad: new BadClient(rtmp.socket, rtmp.since), rtmp }
  }

  /** The start of what the server said. */
  get received(): string {
    return this.#received
  }

  /** The port it comes from: the server's log names its connection by it and its address. */
  get port(): number {
    return this.#port
  }

  get address(): string {
    return this.#address
  }

  get closed(): Promise<void> {
    return this.#closed
  }

  /** Reads nothing any more, whatever a client that shares the socket wants. */
  stopReading(): void {
    this.socket.pause()
    this.socket.on('resume', () => this.socket.pause())
  }

  /** Writes until the server has closed the connection, as fast as it reads. */
  async flood(bytes: Buffer): Promise<void> {
    const { socket } = this
    while (!socket.destroyed) {
      if (socket.write(bytes)) await new Promise((resolve) => setImmediate(resolve))
      else await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), this.#closed])
    }
  }

  /** Waits until the server has closed the connection, and checks that it said why in one line. */
  async expectEnd(server: ServerProcess, reason: RegExp, timeoutMs?: number): Promise<LogLine> {
    const options = { what: `the server to close the connection: ${String(reason)}` }
    await waitFor(() => this.socket.destroyed, timeoutMs === undefined ? options : { ...options, timeoutMs })
    return this.expectOneEnd(server, reason)
  }

  /** Waits for the line that says why the connection ended; there must be one. */
  async expectOneEnd(server: ServerProcess, reason: RegExp): Promise<LogLine> {
    const [line] = await waitFor(() => server.endsOf(this).length > 0 && server.endsOf(this), { what: 'a log line' })
    expect(server.endsOf(this).map((end) => end.reason)).to.have.length(1)
    expect(line?.reason).to.match(reason)
    expect(JSON.stringify(line).length).to.be.below(1000)
    return line as LogLine
  }
}
