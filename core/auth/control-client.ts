import http from 'node:http'
import https from 'node:https'

/** Most requests to control servers under way at once; further ones queue, and their deadline runs meanwhile. */
export const MAX_CONCURRENT_REQUESTS = 512
/** Largest answer that is read. */
export const MAX_ANSWER_BYTES = 64 * 1024
/** Idle connections are given up before servers commonly do (5 s). */
const IDLE_CONNECTION_MS = 4000

type ControlRequest = {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export type ControlAnswer = { readonly status: number; readonly body: string }

/** Posts JSON to control servers over connections that are kept. */
export class ControlClient {
  readonly #agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent }

  constructor() {
    const options = { keepAlive: true, maxSockets: MAX_CONCURRENT_REQUESTS, timeout: IDLE_CONNECTION_MS }
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  }

  /**
   * Sends one request, once. Redirects are not followed.
   * @throws {Error} when no whole answer came by the deadline, or it is too large
   */
  post({ url, body, headers, timeoutMs }: ControlRequest): Promise<ControlAnswer> {
    const target = new URL(url)
    const secure = target.protocol === 'https:'
    const { promise, resolve, reject } = Promise.withResolvers<ControlAnswer>()
    const request = (secure ? https : http).request(target, {
      method: 'POST',
      agent: secure ? this.#agents['https:'] : this.#agents['http:'],
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    const timer = setTimeout(() => request.destroy(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
    request.once('error', reject)
    request.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the connection was closed before the answer'))
    })
    request.once('response', (response) => {
      const parts: Buffer[] = []
      let size = 0
      response.on('data', (part: Buffer) => {
        size += part.length
        if (size > MAX_ANSWER_BYTES) request.destroy(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`))
        else parts.push(part)
      })
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }))
    })
    request.end(body)
    return promise
  }

  close(): void {
    this.#agents['http:'].destroy()
    this.#agents['https:'].destroy()
  }
}
