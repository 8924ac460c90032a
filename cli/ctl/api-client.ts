import type { Agent, Dispatcher } from 'undici'
import { CommandError, ServerUnreachable } from '../command-error.ts'
import { readEvents } from './event-stream.ts'
import { noAnswer, refusal, type FailedRequest } from './failures.ts'
import { addressText, type ServerAddress } from './server-address.ts'

const CONNECT_TIMEOUT_MS = 5000
/** From a request to the end of its answer; and between two server-sent events. */
const ANSWER_TIMEOUT_MS = 30_000
/** Largest answer that is read. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Of a refusal that is a plain text, as those of pictures are. */
const MAX_REASON_LENGTH = 500

type ApiClientOptions = {
  readonly server: ServerAddress
  /** Text of the certificates to trust, in PEM, in place of those that Node knows. */
  readonly ca: string | undefined
  readonly token: string | undefined
  /** Keeps the token that the server gives in place of one that is soon over. */
  readonly keepToken: (token: string) => Promise<void>
}

/** A request of the API. */
type ApiRequest = {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** With its query. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
} & Partial<Pick<FailedRequest, 'missing'>>

/** Asks the HTTP API of one server. Proxies of the environment are not used, and redirects not followed. */
export class ApiClient {
  readonly #options: ApiClientOptions
  #agent: Agent | undefined

  constructor(options: ApiClientOptions) {
    this.#options = options
  }

  /** The address of the server, as a person writes it. */
  get server(): string {
    return addressText(this.#options.server)
  }

  /**
   * Reads something.
   * @returns the `data` of the answer, or the answer itself where it has no envelope
   * @throws {CommandError} when the server can't be reached, or refuses; `missing` is what a plain 404 means
   */
  get(path: string, missing?: string): Promise<unknown> {
    return this.#ask({ method: 'GET', path, missing })
  }

  /** Reads what is no JSON, as a picture, whole; see {@link ApiClient.get}. */
  async getBytes(path: string, missing?: string): Promise<Uint8Array> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    const answer = await this.#send({ method: 'GET', path }, { accept: '*/*', signal, maxBytes: MAX_ANSWER_BYTES })
    if (answer.statusCode !== 200) throw this.#refusalOf(answer, await this.#textOf(answer), missing)
    try {
      return await answer.body.bytes()
    } catch (error) {
      throw noAnswer(error, this)
    }
  }

  /** Does something; see {@link ApiClient.get}. */
  post(path: string, body?: unknown, missing?: string): Promise<unknown> {
    return this.#ask({ method: 'POST', path, body, missing })
  }

  /** Sets something; see {@link ApiClient.get}. */
  put(path: string, body: unknown, missing?: string): Promise<unknown> {
    return this.#ask({ method: 'PUT', path, body, missing })
  }

  /**
   * The values of server-sent events, until `signal` aborts.
   * @throws {CommandError} as {@link ApiClient.get} does
   */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
    const accept = 'text/event-stream'
    try {
      const answer = await this.#send({ method: 'GET', path }, { accept, signal, maxBytes: -1 })
      if (answer.statusCode !== 200) throw this.#refusalOf(answer, await this.#textOf(answer))
      answer.body.setEncoding('utf8')
      for await (const { type, data } of readEvents(answer.body)) {
        if (type === 'error') throw new CommandError(messageOf(parseJson(data)))
        yield parseJson(data)
      }
      throw new ServerUnreachable(`${this.server} has ended the connection; it may be stopping`)
    } catch (error) {
      if (signal.aborted) return
      throw error instanceof CommandError ? error : noAnswer(error, this)
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }

  async #ask({ missing, ...request }: ApiRequest): Promise<unknown> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    const answer = await this.#send(request, { accept: 'application/json', signal, maxBytes: MAX_ANSWER_BYTES })
    const text = await this.#textOf(answer)
    if (answer.statusCode >= 300) throw this.#refusalOf(answer, text, missing)
    if (text === '') return undefined
    const json = parseJson(text)
    if (json === undefined) {
      throw new CommandError(`${this.server} does not answer as a Sluice server does; is the address right?`)
    }
    if (!isObject(json) || typeof json['code'] !== 'number') return json
    // Some operations refuse in the body alone.
    if (json['code'] !== 0) throw refusal(json['code'], messageOf(json), { server: this.server, missing })
    return json['data']
  }

  async #send(
    { method, path, body }: ApiRequest,
    { accept, signal, maxBytes }: { readonly accept: string; readonly signal: AbortSignal; readonly maxBytes: number },
  ): Promise<Dispatcher.ResponseData> {
    const { server, token, keepToken } = this.#options
    // Loaded here, as most of the time until a text of help is spent on it otherwise.
    const { Agent } = await import('undici')
    this.#agent ??= new Agent({
      connect: { timeout: CONNECT_TIMEOUT_MS, ...(this.#options.ca !== undefined && { ca: this.#options.ca }) },
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
      maxResponseSize: maxBytes,
    })
    const request = this.#agent.request({
      origin: server.origin,
      path: server.basePath + path,
      method,
      signal,
      headers: {
        accept,
        ...credentials(server.basic, token),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = await request.catch((error: unknown) => {
      throw noAnswer(error, this)
    })
    const newToken = answer.headers['new-token']
    if (typeof newToken === 'string') await keepToken(newToken)
    return answer
  }

  async #textOf({ body }: Dispatcher.ResponseData): Promise<string> {
    try {
      return await body.text()
    } catch (error) {
      throw noAnswer(error, this)
    }
  }

  #refusalOf({ statusCode, headers }: Dispatcher.ResponseData, text: string, missing?: string): CommandError {
    const isText = String(headers['content-type'] ?? '').startsWith('text/plain')
    const message = isText ? text.trim().slice(0, MAX_REASON_LENGTH) : messageOf(parseJson(text))
    return refusal(statusCode, message, { server: this.server, missing })
  }
}

/** The token goes beside HTTP Basic where the server asks for that, too. */
function credentials(basic: string | undefined, token: string | undefined): Readonly<Record<string, string>> {
  if (basic === undefined) return token === undefined ? {} : { authorization: `Bearer ${token}` }
  const authorization = `Basic ${Buffer.from(basic).toString('base64')}`
  return { authorization, ...(token !== undefined && { 'access-token': token }) }
}

/** A part of a path in which slashes are kept, as in stream paths. */
export function inPath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}

/** Undefined for what is no JSON, as the pages of proxies. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The `message` of an answer, or the `detail` of problem details (RFC 9457). */
function messageOf(json: unknown): string {
  if (!isObject(json)) return ''
  const message = json['message'] ?? json['detail']
  return typeof message === 'string' ? message : ''
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null
}
