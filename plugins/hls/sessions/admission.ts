import {
  CLIENT_LEFT,
  InvalidRequest,
  StreamUnavailable,
  type PluginContext,
  type SessionInit,
  type Subscriber,
} from 'sluice/sdk'
import { requestClient, requestUrl } from 'sluice/sdk/http'
import { HLS_FORMATS, type HlsConfig, type HlsFormat } from '../config.ts'
import type { HlsStream } from '../hls-stream.ts'
import type { HlsStreams } from '../hls-streams.ts'
import { hasLeft, type HttpExchange } from '../http/replies.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** The prefix of addresses with low latency by default. */
const LOW_LATENCY_MOUNT = /^https?:\/\/[^/]*\/llhls\//u

/** Lets viewers in: through the gates, to a stream that has something to play. */
export class Admission {
  readonly #ctx: PluginContext<HlsConfig>
  readonly #hlsStreams: HlsStreams
  readonly #sessions: Sessions
  /** Sessions that are being renewed, by the token and path of the one that ended. */
  readonly #renewals = new Map<string, Promise<Session>>()

  constructor(ctx: PluginContext<HlsConfig>, hlsStreams: HlsStreams, sessions: Sessions) {
    this.#ctx = ctx
    this.#hlsStreams = hlsStreams
    this.#sessions = sessions
  }

  /**
   * Begins a session: all gates, then the wait for a publisher and a first segment.
   * @throws {SluiceError} when the viewer isn't admitted or the stream can't be played
   */
  open(exchange: HttpExchange, streamPath: string, query: string): Promise<Session> {
    return this.#open(exchange, streamPath, query, undefined)
  }

  /**
   * Begins a session that continues one that is not known any more. Simultaneous requests of a player, such as for its other renditions,
   * belong to the same new session.
   * @throws {SluiceError} as `open`
   */
  async renew(exchange: HttpExchange, formerToken: string, streamPath: string, query: string): Promise<Session> {
    const key = `${formerToken} ${streamPath}`
    const running = this.#renewals.get(key)
    if (running !== undefined) {
      await this.authenticate(exchange, streamPath, query)
      return running
    }
    const renewal = this.#open(exchange, streamPath, query, formerToken)
    this.#renewals.set(key, renewal)
    return renewal.finally(() => this.#renewals.delete(key))
  }

  async #open(
    exchange: HttpExchange,
    streamPath: string,
    query: string,
    formerToken: string | undefined,
  ): Promise<Session> {
    const format = this.#formatFor(exchange, query)
    const leaving = new AbortController()
    let subscriber: Subscriber | undefined
    const leave = () => {
      leaving.abort()
      subscriber?.close(CLIENT_LEFT)
    }
    exchange.response.once('close', leave)
    try {
      const init = sessionInit(exchange, streamPath, query)
      subscriber = await this.#ctx.streams.subscribe({ ...init, signal: leaving.signal })
      const { sourcePath } = subscriber
      const selection = this.#selectionOf(subscriber)
      const hlsStream = this.#hlsStreams.get({ streamPath: subscriber.streamPath, format, selection })
      await this.#wait(exchange, streamPath, hlsStream)
      const { client } = init
      const viewer = { formerToken, requestedPath: streamPath, subscriber, sourcePath, client }
      return this.#sessions.open({ ...viewer, hlsStream })
    } catch (error) {
      subscriber?.close(error instanceof Error ? error.message : 'failed')
      throw error
    } finally {
      exchange.response.off('close', leave)
    }
  }

  /**
   * Checks a request that belongs to a session: the gates that look at its query.
   * @throws {StreamDenied}
   */
  authenticate(exchange: HttpExchange, streamPath: string, query: string): Promise<void> {
    return this.#ctx.streams.authenticate(sessionInit(exchange, streamPath, query))
  }

  async #wait(exchange: HttpExchange, streamPath: string, hlsStream: HlsStream): Promise<void> {
    hlsStream.hold(streamPath)
    try {
      await hlsStream.whenReady()
      if (hasLeft(exchange)) throw new StreamUnavailable(CLIENT_LEFT.text)
    } finally {
      hlsStream.release(streamPath)
    }
  }

  // One presentation is made for all viewers who take the same of a stream.
  #selectionOf({ config }: Subscriber): string {
    const usual = this.#ctx.config.subscribe
    const other = (['subaudio', 'subvideo', 'iframeonly'] as const).filter((key) => config[key] !== usual[key])
    return other.map((key) => `${key}=${config[key]}`).join('&')
  }

  #formatFor({ request }: HttpExchange, query: string): HlsFormat {
    const asked = new URLSearchParams(query).get('format')
    if (asked === null) {
      return LOW_LATENCY_MOUNT.test(requestUrl(request)) ? 'llhls' : this.#ctx.config.format
    }
    const format = HLS_FORMATS.find((known) => known === asked)
    if (format === undefined) throw new InvalidRequest(`format: expected ${HLS_FORMATS.join(', ')}`)
    return format
  }
}

function sessionInit({ request }: HttpExchange, streamPath: string, query: string): SessionInit {
  return {
    streamPath,
    url: requestUrl(request),
    query,
    client: requestClient(request),
  }
}
