import type { Duplex } from 'node:stream'
import type { Dialer } from 'sluice/sdk'
import { RtspConnection } from '../connection.ts'
import { ChannelTable } from '../transport/channel-table.ts'
import { ClientCredentials } from './client-credentials.ts'
import { RtspHeaders } from '../wire/message/headers.ts'
import type { RtspRequest, RtspResponse } from '../wire/message/message.ts'
import { serializeRequest, serializeResponse } from '../wire/message/serialize.ts'
import { parseMethods } from '../wire/methods.ts'
import { RtspClientError } from './client-error.ts'
import { openCarrier, type Carrier, type CarrierOptions } from './carrier.ts'

/** The longest time for an answer before the connection is given up. */
const ANSWER_TIMEOUT_MS = 10_000
const USER_AGENT = 'Sluice'
const MAX_REASON_LENGTH = 120
/** The methods by which a server checks that the client is alive. */
const SIGNS_OF_LIFE = ['OPTIONS', 'GET_PARAMETER', 'SET_PARAMETER']

/** The header fields of a request; undefined ones are left out. */
type Fields = Readonly<Record<string, string | undefined>>

/** The options of {@link RtspClient.request}. */
export type RequestOptions = {
  readonly body?: string
  /** Called when the server agrees, before any media that follows its answer is taken. */
  readonly onAgreed?: (response: RtspResponse) => void
  /** True to keep the connection when no answer comes in time: some cameras never answer keepalives. Default false. */
  readonly mayBeSilent?: boolean
}

type Call = {
  readonly timer: NodeJS.Timeout
  readonly answer: (response: RtspResponse) => void
  readonly fail: (error: Error) => void
}

/** The client's side of one RTSP connection: requests with their answers, and the channels of its media. */
export class RtspClient {
  /** Opens further connections to the same server. */
  readonly dial: Dialer
  readonly channels = new ChannelTable()
  readonly connection: RtspConnection
  /** The address for requests, without user information. */
  readonly uri: string
  /** The address of the server. */
  readonly remoteIp: string
  readonly localIp: string
  /** Resolves with the reason when the connection has ended, from either side. */
  readonly closed: Promise<string>
  /** The methods that the server supports; empty before `learnMethods`. */
  methods: ReadonlySet<string> = new Set()
  readonly #credentials: ClientCredentials
  readonly #calls = new Map<number, Call>()
  readonly #resolveClosed: (reason: string) => void
  #farewell: (() => void) | undefined
  #closeReason: string | undefined
  #cseq = 0

  private constructor({ url, dial }: CarrierOptions, { stream, remoteIp, localIp }: Carrier) {
    this.dial = dial
    this.uri = url.parsed.uri
    this.remoteIp = remoteIp
    this.localIp = localIp
    this.#credentials = new ClientCredentials(url.parsed)
    const { promise, resolve } = Promise.withResolvers<string>()
    this.closed = promise
    this.#resolveClosed = resolve
    this.connection = new RtspConnection(stream, {
      message: (message) => (message.kind === 'request' ? this.#refuse(message) : this.#take(message)),
      frame: (frame) => this.channels.take(frame),
      isChannel: (channel) => this.channels.mayCarry(channel),
      closed: (reason) => this.#ended(reason),
    })
  }

  /**
   * Connects to a server.
   * @throws {RtspClientError} when it can't be reached
   */
  static async connect(options: CarrierOptions): Promise<RtspClient> {
    const client = new RtspClient(options, await openCarrier(options))
    const { signal } = options
    const stop = () => client.close('stopped')
    signal.addEventListener('abort', stop, { once: true })
    void client.closed.then(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
    return client
  }

  get stream(): Duplex {
    return this.connection.stream
  }

  /** Resolves when nothing is left of a closed connection: when the server has closed its side, or soon in any case. */
  get ended(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.stream.closed) resolve()
    else this.stream.once('close', resolve)
    return promise
  }

  /** Calls `farewell` before the client closes the connection, for its last requests. */
  beforeClose(farewell: () => void): void {
    this.#farewell = farewell
  }

  /**
   * Asks for the server's methods. A server that refuses the question is assumed to know the common ones.
   * @throws {RtspClientError} when the server refuses the credentials, or redirects the client
   */
  async learnMethods(): Promise<void> {
    try {
      const { headers } = await this.request('OPTIONS', this.uri)
      this.methods = parseMethods([...headers.getAll('public'), ...headers.getAll('allow')].join(','))
    } catch (error) {
      const isRefusal = error instanceof RtspClientError && error.status !== undefined
      if (!isRefusal || error.status === 401 || error.location !== undefined) throw error
    }
  }

  /**
   * Sends a request, with credentials where the server asks for some.
   * @throws {RtspClientError} with the status when the answer is not 2xx
   */
  async request(method: string, uri: string, fields: Fields = {}, options: RequestOptions = {}): Promise<RtspResponse> {
    const first = await this.#call(method, uri, fields, options)
    if (first.status !== 401 || !this.#credentials.accept(first.headers.getAll('www-authenticate'))) {
      return agreed(method, first)
    }
    return agreed(method, await this.#call(method, uri, fields, options))
  }

  /** Ends the connection when the data sent have left. Idempotent. */
  close(reason = 'closed'): void {
    if (!this.connection.closed) this.#farewell?.()
    this.connection.close(reason)
  }

  #call(
    method: string,
    uri: string,
    fields: Fields,
    { body = '', mayBeSilent = false, onAgreed }: RequestOptions,
  ): Promise<RtspResponse> {
    if (this.#closeReason !== undefined) return Promise.reject(endedBefore(method, this.#closeReason))
    const cseq = ++this.#cseq
    const { promise, resolve, reject } = Promise.withResolvers<RtspResponse>()
    const timer = setTimeout(() => this.#giveUp(cseq, method, mayBeSilent), ANSWER_TIMEOUT_MS)
    const answer = (response: RtspResponse) => {
      if (isAgreement(response)) onAgreed?.(response)
      resolve(response)
    }
    this.#calls.set(cseq, { timer, answer, fail: reject })
    const headers = new RtspHeaders([['User-Agent', USER_AGENT]])
    const authorization = this.#credentials.authorization(method, uri)
    for (const [name, value] of Object.entries({ ...fields, Authorization: authorization })) {
      if (value !== undefined) headers.append(name, value)
    }
    this.connection.send(serializeRequest({ method, uri, cseq, headers, body: Buffer.from(body) }))
    return promise
  }

  #giveUp(cseq: number, method: string, mayBeSilent: boolean): void {
    const reason = `no answer to ${method} in time`
    if (!mayBeSilent) return this.connection.cut(reason)
    this.#calls.get(cseq)?.fail(new RtspClientError(reason))
    this.#calls.delete(cseq)
  }

  #take(response: RtspResponse): void {
    const { cseq: answered } = response
    // Some servers number their answers themselves: such an answer is for the request that has waited longest.
    const cseq = answered !== undefined && this.#calls.has(answered) ? answered : this.#calls.keys().next().value
    const call = cseq === undefined ? undefined : this.#calls.get(cseq)
    if (cseq === undefined || call === undefined || response.status < 200) return
    this.#calls.delete(cseq)
    clearTimeout(call.timer)
    call.answer(response)
  }

  /** Answers a request of the server, which is usually a check that the client is alive. */
  #refuse({ method, cseq }: RtspRequest): void {
    const isKnown = SIGNS_OF_LIFE.includes(method.toUpperCase())
    this.connection.send(serializeResponse({ status: isKnown ? 200 : 501, cseq }))
  }

  #ended(reason: string): void {
    this.#closeReason = reason
    for (const { timer, fail } of this.#calls.values()) {
      clearTimeout(timer)
      fail(endedBefore('a request', reason))
    }
    this.#calls.clear()
    this.#resolveClosed(reason)
  }
}

function isAgreement({ status }: RtspResponse): boolean {
  return status < 300
}

function agreed(method: string, response: RtspResponse): RtspResponse {
  const { status, reason, headers } = response
  if (isAgreement(response)) return response
  const location = status < 400 ? headers.get('location') : undefined
  const shown = reason.slice(0, MAX_REASON_LENGTH)
  throw new RtspClientError(`the server answered ${status} ${shown} to ${method}`, {
    status,
    ...(location && { location }),
  })
}

function endedBefore(what: string, reason: string): RtspClientError {
  return new RtspClientError(`the connection ended before ${what} was answered: ${reason}`)
}
