import { once } from 'node:events'
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { WebSocket } from 'ws'
import { keep } from '../peers/lifetime.ts'

/** A viewer over HTTP or WebSocket. It leaves with the test that sent it, at the latest. */
export abstract class LiveViewer {
  /** The status of the answer: 200, or 101 for a WebSocket. Rejects when there is none. */
  readonly status: Promise<number>
  readonly headers: Promise<IncomingHttpHeaders>
  /** Resolves when the server has ended the stream, or the viewer has left. */
  readonly ended: Promise<void>
  readonly #status = Promise.withResolvers<number>()
  readonly #headers = Promise.withResolvers<IncomingHttpHeaders>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #close: () => void
  #webSocket: WebSocket | undefined

  /** @param url http, https, ws or wss; no certificate is asked for */
  constructor(url: string) {
    this.status = this.#status.promise
    this.headers = this.#headers.promise
    this.ended = this.#ended.promise
    // Who asks for one of them only is not to fail for the other.
    this.status.catch(() => {})
    this.headers.catch(() => {})
    this.#close = url.startsWith('ws') ? this.#openWebSocket(url) : this.#openHttp(url)
    void this.ended.then(keep(this))
  }

  close(): void {
    this.#close()
  }

  /** Sends a binary message over the WebSocket; resolves when the server has read it. One at a time. */
  async send(message: Buffer): Promise<void> {
    const socket = this.#webSocket
    if (socket === undefined) throw new Error('there is no WebSocket')
    const answered = once(socket, 'pong')
    socket.send(message)
    socket.ping()
    await answered
  }

  /** Takes what came: part of an answer's body, or a WebSocket message. */
  protected abstract receive(bytes: Buffer): void

  /** Takes a text message of a WebSocket. */
  protected receiveText(text: string): void {
    throw new Error(`a text message came: ${text}`)
  }

  #openHttp(url: string): () => void {
    const { get } = url.startsWith('https:') ? https : http
    const request = get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      this.#answered(response.statusCode ?? 0, response.headers)
      response.on('error', () => {})
      if (response.statusCode === 200) response.on('data', (bytes: Buffer) => this.receive(bytes))
      else response.resume()
      response.on('close', () => this.#ended.resolve())
    })
    request.on('error', (error) => this.#failed(error))
    return () => request.destroy()
  }

  #openWebSocket(url: string): () => void {
    const socket = new WebSocket(url, { rejectUnauthorized: false })
    this.#webSocket = socket
    socket.on('upgrade', ({ headers }) => this.#answered(101, headers))
    socket.on('unexpected-response', (request, { statusCode = 0, headers }) => {
      this.#answered(statusCode, headers)
      request.destroy()
      this.#ended.resolve()
    })
    socket.on('message', (bytes: Buffer, isBinary) => {
      if (isBinary) this.receive(bytes)
      else this.receiveText(bytes.toString())
    })
    socket.on('close', () => this.#ended.resolve())
    socket.on('error', (error) => this.#failed(error))
    return () => socket.terminate()
  }

  #answered(status: number, headers: IncomingHttpHeaders): void {
    this.#status.resolve(status)
    this.#headers.resolve(headers)
  }

  #failed(error: Error): void {
    this.#status.reject(error)
    this.#headers.reject(error)
    this.#ended.resolve()
  }
}
