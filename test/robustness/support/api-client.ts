import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'

export type ApiRequest = {
  readonly method: string
  /** As it goes out: path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export type ApiResponse = {
  readonly status: number
  /** Without parameters; empty where there is none. */
  readonly type: string
  /** All names and values, a line each. */
  readonly headers: string
  /** The first event alone, of what has no end. */
  readonly text: string
}

/** What is never answered in this time hangs. */
const ANSWER_TIMEOUT_MS = 60_000
/** Server-sent events that have none to tell by then may well never have one. */
const QUIET_MS = 200
const ENDLESS = new Set(['text/event-stream', 'application/octet-stream'])

/** A client that sends what it is told, right or wrong. */
export class ApiClient {
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 })

  constructor(port: number) {
    this.#port = port
  }

  /** @throws {Error} when nobody answers, or only half */
  async ask({ method, target, headers, body }: ApiRequest): Promise<ApiResponse> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    const place = { host: '127.0.0.1', port: this.#port, agent: this.#agent }
    const outgoing = request({ ...place, method, path: target, headers, signal })
    outgoing.end(body)
    const response = await answerTo(outgoing)
    const [type = ''] = (response.headers['content-type'] ?? '').split(';')
    let text = ''
    const quiet = setTimeout(() => ENDLESS.has(type) && response.destroy(), QUIET_MS)
    try {
      for await (const bytes of response) {
        text += String(bytes)
        if (ENDLESS.has(type) && text.includes('\n\n')) break
      }
    } catch (error) {
      if (!ENDLESS.has(type)) throw error
    } finally {
      clearTimeout(quiet)
    }
    return { status: response.statusCode ?? 0, type, headers: response.rawHeaders.join('\n'), text }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** The head of an answer; a WebSocket is left at once. */
function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
    outgoing.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response)
    })
  })
}
