import http from 'node:http'
import https from 'node:https'

/** Most requests of a client under way at once; further ones wait, and their deadline runs meanwhile. */
export const MAX_CONCURRENT_REQUESTS = 512
/** Largest answer that is read. */
export const MAX_ANSWER_BYTES = 64 * 1024
/** Idle connections are given up before servers commonly do (5 s). */
const IDLE_CONNECTION_MS = 4000

/** A request to a web service. */
export type WebhookRequest = {
  /** `http:` or `https:`; its user information is sent as Basic. */
  readonly url: string
  readonly method: string
  /** JSON, which is sent as such. */
  readonly body: string
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>
  /** How long the whole answer may take, in milliseconds, the wait for other requests included. */
  readonly timeoutMs: number
}

/** The answer of a web service, whatever its status. */
export type WebhookAnswer = { readonly status: number; readonly body: string }

/**
 * Sends JSON to web services over connections that are kept: 512 requests at a time, further ones wait. It asks no deny list, as it is
 * for addresses that the operator has set. Close it with the generation.
 */
export class WebhookClient {
  readonly #agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent }
  readonly #underWay = new Set<AbortController>()
  /** The requests that wait for another one to end, in order. An agent's own queue would keep them past their deadline. */
  readonly #waiting = new Set<() => void>()
  #sending = 0
  #closed = false

  constructor() {
    const options = { keepAlive: true, maxFreeSockets: MAX_CONCURRENT_REQUESTS, timeout: IDLE_CONNECTION_MS }
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  }

  /**
   * Sends one request, once. Redirects are not followed.
   * @throws {Error} when no whole answer came by the deadline, it is larger than 64 KiB, or the client is closed
   */
  async send(request: WebhookRequest): Promise<WebhookAnswer> {
    if (this.#closed) throw new Error('the server is stopping')
    const { timeoutMs } = request
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
    this.#underWay.add(ending)
    try {
      await this.#begin(ending.signal)
      return await this.#request(request, ending.signal).finally(() => this.#end())
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(ending)
    }
  }

  /** Ends the requests that are under way, and takes no more. Idempotent. */
  close(): void {
    this.#closed = true
    for (const ending of this.#underWay) ending.abort(new Error('the server is stopping'))
    this.#agents['http:'].destroy()
    this.#agents['https:'].destroy()
  }

  #begin(signal: AbortSignal): Promise<void> {
    if (this.#sending < MAX_CONCURRENT_REQUESTS) {
      this.#sending++
      return Promise.resolve()
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const giveUp = () => {
      if (this.#waiting.delete(resolve)) reject(reasonOf(signal))
    }
    signal.addEventListener('abort', giveUp, { once: true })
    return promise
  }

  #end(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#sending--
      return
    }
    this.#waiting.delete(next)
    next()
  }

  #request({ url, method, body, headers }: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WebhookAnswer>()
    if (signal.aborted) return Promise.reject(reasonOf(signal))
    const target = new URL(url)
    const secure = target.protocol === 'https:'
    const request = (secure ? https : http).request(target, {
      method,
      agent: this.#agents[secure ? 'https:' : 'http:'],
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
    })
    const fail = (error: Error) => {
      reject(error)
      request.destroy()
    }
    signal.addEventListener('abort', () => fail(reasonOf(signal)), { once: true })
    request.on('error', reject)
    request.once('close', () => reject(new Error('the connection was closed before the answer')))
    request.once('response', (response) => {
      const parts: Buffer[] = []
      let sizeBytes = 0
      response.on('error', reject)
      response.on('data', (part: Buffer) => {
        sizeBytes += part.length
        if (sizeBytes > MAX_ANSWER_BYTES) fail(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`))
        else parts.push(part)
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }))
    })
    request.end(body)
    return promise
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted')
}
