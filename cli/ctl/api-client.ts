import type { Agent, Dispatcher } from 'undici'
import { CommandError, ServerUnreachable } from '../command-error.ts'
import { readEvents } from './event-stream.ts'
import { noAnswer, refusal, type FailedRequest } from './failures.ts'
import { addressText, type ServerAddress } from './server-address.ts'

const CONNECT_TIMEOUT_MS = 5000
/** The time limit from a request to the end of its answer, and between two server-sent events. */
const ANSWER_TIMEOUT_MS = 30_000
/** The largest answer that is read. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** The longest refusal in plain text that is shown, as pictures have them, in characters. */
const MAX_REASON_LENGTH = 500

/** The codes of answers that are no refusals: some operations say 200 where others say 0. */
const DONE: ReadonlySet<number> = new Set([0, 200])

type ApiClientOptions = {
  readonly server: ServerAddress
  /** The trusted certificates as a PEM text, in place of those of Node. */
  readonly ca: string | undefined
  readonly token: string | undefined
  /** Stores the token by which the server replaces one that expires soon. */
  readonly keepToken: (token: string) => Promise<void>
}

/** A request of the API. */
type ApiRequest = {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** The path with its query. */
  readonly path: string
  /** The body, which is sent as JSON. */
  readonly body?: unknown
} & Partial<Pick<FailedRequest, 'missing'>>

/** A client of the HTTP API of one server. It uses no proxies of the environment, and follows no redirects. */
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
   * Sends a GET request.
   * @param missing the message for a plain 404
   * @returns the `data` of the answer, or the answer itself when it has no envelope
   * @throws {CommandError} when the server can't be reached, or refuses
   */
  get(path: string, missing?: string): Promise<unknown> {
    return this.#ask({ method: 'GET', path, missing })
  }

  /** Reads the fields of an answer that has them beside its code; see {@link ApiClient.get}. */
  async getFields(path: string, missing?: string): Promise<Readonly<Record<string, unknown>>> {
    const json = await this.#answer({ method: 'GET', path, missing })
    if (!isObject(json)) return {}
    const { code: _code, message: _message, ...fields } = json
    return fields
  }

  /** Reads all of an answer that is no JSON, such as a picture; see {@link ApiClient.get}. */
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

  /** Sends a POST request; see {@link ApiClient.get}. */
  post(path: string, body?: unknown, missing?: string): Promise<unknown> {
    return this.#ask({ method: 'POST', path, body, missing })
  }

  /** Sends a PUT request; see {@link ApiClient.get}. */
  put(path: string, body: unknown, missing?: string): Promise<unknown> {
    return this.#ask({ method: 'PUT', path, body, missing })
  }

  /**
   * Yields the values of server-sent events, until `signal` aborts.
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

  async #ask(request: ApiRequest): Promise<unknown> {
    const json = await this.#answer(request)
    return isObject(json) && typeof json['code'] === 'number' ? json['data'] : json
  }

  /** Sends a request, and returns its answer, which is no refusal. */
  async #answer({ missing, ...request }: ApiRequest): Promise<unknown> {
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
    // Some operations refuse by the body of a successful answer.
    if (!DONE.has(json['code'])) throw refusal(json['code'], messageOf(json), { server: this.server, missing })
    return json
  }

  async #send(
    { method, path, body }: ApiRequest,
    { accept, signal, maxBytes }: { readonly accept: string; readonly signal: AbortSignal; readonly maxBytes: number },
  ): Promise<Dispatcher.ResponseData> {
    const { server, token, keepToken } = this.#options
    // The module is loaded here, since loading it would take most of the time of a help text.
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

/** Returns the headers for the token, and for HTTP Basic when the address has a name and password. */
function credentials(basic: string | undefined, token: string | undefined): Readonly<Record<string, string>> {
  if (basic === undefined) return token === undefined ? {} : { authorization: `Bearer ${token}` }
  const authorization = `Basic ${Buffer.from(basic).toString('base64')}`
  return { authorization, ...(token !== undefined && { 'access-token': token }) }
}

/** Encodes a part of a path except its slashes, as in stream paths. */
export function inPath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}

/** Returns the value of a JSON text; undefined for other texts, such as the pages of proxies. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the `message` of an answer, or the `detail` of problem details (RFC 9457). */
function messageOf(json: unknown): string {
  if (!isObject(json)) return ''
  const message = json['message'] ?? json['detail']
  return typeof message === 'string' ? message : ''
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null
}
