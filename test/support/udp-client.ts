import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'

/** A UDP socket that talks to one port of this machine. */
export class UdpClient {
  /** All that came, as text. */
  readonly answers: string[] = []
  readonly #socket: Socket
  readonly #port: number
  readonly #host: string

  private constructor(socket: Socket, port: number, host: string) {
    this.#socket = socket
    this.#port = port
    this.#host = host
    socket.on('message', (datagram) => this.answers.push(datagram.toString()))
  }

  static async open(port: number, host = '127.0.0.1'): Promise<UdpClient> {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    keep({ close: () => void socket.close() })
    const listening = once(socket, 'listening')
    socket.bind(0, host)
    await listening
    return new UdpClient(socket, port, host)
  }

  /** Its own port. */
  get port(): number {
    return this.#socket.address().port
  }

  send(text: string): void {
    this.#socket.send(text, this.#port, this.#host)
  }

  /** Sends, again and again as it may get lost, until there is an answer; and returns that. */
  async ask(text: string): Promise<string> {
    const known = this.answers.length
    let askedMs = -Infinity
    return waitFor(
      () => {
        if (this.answers.length === known && performance.now() - askedMs > 1000) {
          askedMs = performance.now()
          this.send(text)
        }
        return this.answers[known]
      },
      { what: `an answer to ${text}` },
    )
  }
}
