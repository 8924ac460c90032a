import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'

/** Body of both requests (spec.md, Admission request body). */
export type AdmissionBody = {
  readonly action: string
  readonly protocol: string
  readonly status: string
  readonly stream_path: string
  readonly url: string
  readonly client: { readonly ip: string; readonly port: number; readonly user_agent: string }
  readonly query: Readonly<Record<string, string>>
  readonly session_id: string | null
  readonly time: string
}

/** A request as it came in. */
export type ControlRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As sent. */
  readonly body: string
  readonly fields: AdmissionBody
}

/** What the control server does with a request: a body goes out as JSON unless it is text. */
export type ControlReply =
  | 'never'
  | 'cut'
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

export type ControlRule = (request: ControlRequest) => ControlReply | Promise<ControlReply>

export const ALLOW: ControlReply = { body: { allowed: true } }

/** A control server over real HTTP. It ends with the test that started it, at the latest. */
export class ControlServer {
  readonly requests: ControlRequest[] = []
  /** Connections it has taken so far. */
  connectionCount = 0
  rule: ControlRule
  readonly #server: http.Server
  readonly #sockets = new Set<Socket>()

  private constructor(rule: ControlRule) {
    this.rule = rule
    this.#server = http.createServer((request, response) => void this.#handle(request, response))
    this.#server.on('connection', (socket: Socket) => {
      this.connectionCount++
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** @param rule what it answers; it allows everything unless given */
  static async start(rule: ControlRule = () => ALLOW): Promise<ControlServer> {
    const control = new ControlServer(rule)
    control.#server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 })
    await once(control.#server, 'listening')
    keep(control)
    return control
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/admission`
  }

  /** Connections it has at present. */
  get openConnections(): number {
    return this.#sockets.size
  }

  get openings(): ControlRequest[] {
    return this.requests.filter(({ fields }) => fields.status === 'opening')
  }

  get closings(): ControlRequest[] {
    return this.requests.filter(({ fields }) => fields.status === 'closing')
  }

  async waitForClosings(count: number): Promise<ControlRequest[]> {
    await waitFor(() => this.closings.length >= count, { what: `${count} closing notices` })
    return this.closings
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    message.on('data', (part: Buffer) => parts.push(part))
    message.on('error', () => {})
    await new Promise((resolve) => message.once('close', resolve))
    const body = Buffer.concat(parts).toString()
    const { method = '', url: path = '', headers } = message
    const request = { method, path, headers, body, fields: JSON.parse(body) as AdmissionBody }
    this.requests.push(request)
    const reply = await this.rule(request)
    if (reply === 'never') return
    if (reply === 'cut') return void message.socket.destroy()
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {})
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(text)
  }
}
