import {
  CLIENT_LEFT,
  InvalidRequest,
  parseQuery,
  SluiceError,
  StreamDenied,
  type Publisher,
  type SessionInit,
  type Subscriber,
} from 'sluice/sdk'
import { parseSdp, tryParse, type MediaDescription } from 'sluice/sdk/media'
import { describeMedias } from '../media/description.ts'
import type { RtspHeaders } from '../wire/message/headers.ts'
import type { RtspRequest } from '../wire/message/message.ts'
import { parseSessionHeader, serializeSessionHeader } from '../wire/session-header.ts'
import { parseTransports, serializeTransports, type Transport } from '../wire/transport.ts'
import { parseStreamTarget, trackUrl, type StreamTarget } from '../wire/url.ts'
import { BACK_CHANNEL_FEATURE, BACK_CHANNEL_FORMATS, BackChannel } from './back-channel.ts'
import { PlaySession } from './play-session.ts'
import { PublishSession } from './publish-session.ts'
import { refusedIfMalformed, RtspRefusal } from './refusal.ts'
import type { RtspServerContext, SessionConnection } from './server-context.ts'
import type { HeaderFields, RtspSession } from './session.ts'

const METHODS = 'OPTIONS, DESCRIBE, ANNOUNCE, SETUP, PLAY, PAUSE, RECORD, TEARDOWN, GET_PARAMETER, SET_PARAMETER'
/** The most medias of a description: as many as a stream may have tracks. */
const MAX_MEDIAS = 32
/** The time after its admission in which a client may set up and begin to play without the gates being asked again. */
const ADMISSION_MS = 10_000

/** Methods by which a client leaves. */
const FAREWELLS = ['TEARDOWN', 'PAUSE']

/** The answer to a request. */
export type Answer = {
  /** The status. Default 200. */
  readonly status?: number
  readonly reason?: string
  readonly headers?: HeaderFields
  readonly body?: string
  /** Called once the answer has been sent. */
  readonly afterwards?: (() => void) | undefined
}

/** Carries out the requests of one connection (RFC 2326 10). */
export class RequestHandler {
  readonly #server: RtspServerContext
  readonly #connection: SessionConnection
  /** The session that was described or announced last; it gets its id by its first SETUP. */
  #session: PlaySession | PublishSession | undefined

  constructor(server: RtspServerContext, connection: SessionConnection) {
    this.#server = server
    this.#connection = connection
  }

  /** @throws {RtspRefusal} @throws {SluiceError} */
  async handle(request: RtspRequest): Promise<Answer> {
    if (request.version !== '1.0') throw new RtspRefusal(505, 'RTSP Version Not Supported')
    if (request.cseq === undefined) throw new RtspRefusal(400, 'CSeq is missing')
    if (this.#isFarewell(request)) return {}
    const method = request.method.toUpperCase()
    if (method === 'OPTIONS') return this.#options(request)
    this.#server.authenticator.check(request)
    this.#checkRequired(request)
    switch (method) {
      case 'DESCRIBE':
        return this.#describe(request)
      case 'ANNOUNCE':
        return this.#announce(request)
      case 'SETUP':
        return this.#setup(request)
      case 'PLAY': {
        const session = this.#named(request)
        this.#checkStream(session, request)
        return inSession(session, await session.play(request))
      }
      case 'RECORD': {
        const session = this.#named(request)
        this.#checkStream(session, request)
        return inSession(session, session.record())
      }
      case 'PAUSE': {
        const session = this.#named(request)
        await session.pause()
        return inSession(session, {})
      }
      case 'TEARDOWN':
        return this.#teardown(request)
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        return this.#parameter(request)
      default:
        throw new RtspRefusal(501, 'Not Implemented', [['Public', METHODS]])
    }
  }

  /** @throws {RtspRefusal} when the client requires a feature that this server does not have (RFC 2326 12.32) */
  #checkRequired({ headers }: RtspRequest): void {
    const { backchannel } = this.#server.ctx.config
    const isKnown = (feature: string) => backchannel && feature === BACK_CHANNEL_FEATURE
    const unknown = requiredFeatures(headers).filter((feature) => !isKnown(feature))
    if (unknown.length > 0) throw new RtspRefusal(551, 'Option not supported', [['Unsupported', unknown.join(', ')]])
  }

  /** True when the client ends a session that this server has ended already: GStreamer fails on a 454 for it. */
  #isFarewell({ method, headers }: RtspRequest): boolean {
    if (!FAREWELLS.includes(method.toUpperCase())) return false
    const [id = ''] = headers.get('session')?.split(';', 1) ?? []
    return this.#connection.hadSession(id.trim())
  }

  #options(request: RtspRequest): Answer {
    const session = this.#find(request)
    this.#keepAlive(session)
    const headers: HeaderFields = [['Public', METHODS]]
    return session === undefined ? { headers } : inSession(session, { headers })
  }

  async #describe(request: RtspRequest): Promise<Answer> {
    const target = this.#target(request)
    const session = await this.#play(request, target)
    const controlOf = (place: number) => trackUrl(target.url, place)
    const { streamPath, medias, durationMs } = session
    const body = describeMedias({
      streamPath,
      medias,
      durationMs,
      controlOf,
      ip: this.#connection.localIp,
      control: target.url,
      backChannel: this.#wantsBackChannel(request) ? BACK_CHANNEL_FORMATS : undefined,
    })
    return {
      headers: [
        ['Content-Base', `${target.url}/`],
        ['Content-Type', 'application/sdp'],
      ],
      body,
    }
  }

  /** Admits the client as a player; while there is no publisher, this waits. */
  async #play(request: RtspRequest, target: StreamTarget): Promise<PlaySession> {
    this.#forget()
    const init = this.#sessionInit(request, target)
    let subscriber: Subscriber
    try {
      subscriber = await this.#server.ctx.streams.subscribe(init)
    } catch (error) {
      throw this.#refused('play', target, error)
    }
    if (this.#connection.closed) {
      subscriber.close(CLIENT_LEFT)
      throw new RtspRefusal(400, 'the client left')
    }
    const { ctx } = this.#server
    const { streamPath } = subscriber
    const back = this.#wantsBackChannel(request)
      ? new BackChannel({ ctx, log: ctx.log.child({ stream: streamPath }), session: { ...init, streamPath } })
      : undefined
    const session = new PlaySession(this.#server, subscriber, init, this.#connection, back)
    this.#session = session
    this.#connection.add(session)
    subscriber.onClose(ctx.setTimeout(() => session.outlastAdmission(), ADMISSION_MS))
    return session
  }

  async #announce(request: RtspRequest): Promise<Answer> {
    const target = this.#target(request)
    const medias = announcedMedias(request)
    this.#forget()
    const session = new PublishSession(this.#server, target.streamPath, medias, this.#connection)
    let publisher: Publisher
    try {
      const control = { requestKeyframe: ({ id }: { readonly id: number }) => session.requestKeyframe(id) }
      const options = { control, ...(session.isTransportStream && { timestampBits: 33 }) }
      publisher = await this.#server.ctx.streams.publish(this.#sessionInit(request, target), options)
    } catch (error) {
      throw this.#refused('publish', target, error)
    }
    if (this.#connection.closed) {
      publisher.close(CLIENT_LEFT)
      throw new RtspRefusal(400, 'the client left')
    }
    session.begin(publisher)
    this.#session = session
    this.#connection.add(session)
    return {}
  }

  async #setup(request: RtspRequest): Promise<Answer> {
    const target = this.#target(request)
    const wanted = transportsOf(request, target.query)
    // Some players know the description already.
    const session = this.#find(request) ?? this.#open ?? (await this.#play(request, target))
    this.#checkStream(session, request)
    const transport = await session.setup(request, target.trackIndex, wanted)
    this.#server.began(session)
    session.touch()
    const timeoutSeconds = Math.ceil(this.#server.ctx.config.sessiontimeout / 1000)
    return {
      headers: [
        ['Transport', serializeTransports([transport.answer])],
        ['Session', serializeSessionHeader({ id: session.id, timeoutSeconds })],
      ],
    }
  }

  #teardown(request: RtspRequest): Answer {
    const session = this.#named(request)
    if (session === this.#session) this.#session = undefined
    const answer = inSession(session, {})
    return { ...answer, afterwards: () => session.close(CLIENT_LEFT) }
  }

  /** Nothing can be asked or set; clients use these methods as keepalives. */
  #parameter(request: RtspRequest): Answer {
    const session = this.#find(request)
    this.#keepAlive(session)
    if (request.body.length > 0) throw new RtspRefusal(451, 'Parameter Not Understood')
    return session === undefined ? {} : inSession(session, {})
  }

  /** Keeps the session that a request names alive, or that of the connection, as some clients name none. */
  #keepAlive(named: RtspSession | undefined): void {
    const session = named ?? this.#session
    session?.keepAlive()
  }

  /** The session that a request names; undefined when it names none, and none has been set up here. */
  #find(request: RtspRequest): RtspSession | undefined {
    const text = request.headers.get('session')
    if (text === undefined) return undefined
    const session = this.#server.find(refusedIfMalformed(454, () => parseSessionHeader(text)).id)
    if (session?.ip === this.#connection.client.ip) return session
    throw new RtspRefusal(454, 'Session Not Found')
  }

  /** The session that was described or announced last, unless it has ended. */
  get #open(): PlaySession | PublishSession | undefined {
    return this.#session?.isClosed === true ? undefined : this.#session
  }

  /** @throws {RtspRefusal} when there is none */
  #named(request: RtspRequest): RtspSession {
    const session = this.#find(request) ?? this.#open
    if (session === undefined) throw new RtspRefusal(454, 'Session Not Found')
    session.touch()
    return session
  }

  /** @throws {RtspRefusal} when the request names another stream than that of the session; `*` and the like name none */
  #checkStream(session: RtspSession, { uri }: RtspRequest): void {
    const streamPath = streamPathOf(uri)
    if (streamPath !== undefined && !session.isOf(streamPath, uri)) {
      throw new RtspRefusal(404, 'the session is one of another stream: describe this one first')
    }
  }

  /** A stream that was described or announced before, and not begun, makes place for another. */
  #forget(): void {
    if (this.#session?.isStarted === false) this.#session.close(CLIENT_LEFT)
    this.#session = undefined
  }

  #wantsBackChannel({ headers }: RtspRequest): boolean {
    return this.#server.ctx.config.backchannel && requiredFeatures(headers).includes(BACK_CHANNEL_FEATURE)
  }

  /** @throws {RtspRefusal} when the request names no stream */
  #target({ uri }: RtspRequest): StreamTarget {
    return refusedIfMalformed(400, () => parseStreamTarget(uri, this.#connection.serverUrl))
  }

  #sessionInit({ uri }: RtspRequest, { streamPath, query }: StreamTarget): SessionInit {
    const { client, leaving } = this.#connection
    return { streamPath, url: uri, query, client, signal: leaving.signal }
  }

  /** Logs the reason for a refusal; a denial is logged where it was decided. */
  #refused(action: 'play' | 'publish', { streamPath }: StreamTarget, error: unknown): unknown {
    if (!(error instanceof SluiceError) || error instanceof StreamDenied || this.#connection.closed) return error
    const { ip, port } = this.#connection.client
    const stream = error instanceof InvalidRequest ? undefined : streamPath
    this.#server.ctx.log.info({ stream, ip, port, reason: error.message }, `${action} refused`)
    return error
  }
}

/** The path in a URL; undefined when it has none. */
function streamPathOf(uri: string): string | undefined {
  if (uri === '*') return undefined
  return tryParse((target) => parseStreamTarget(target, ''), uri)?.streamPath
}

function requiredFeatures(headers: RtspHeaders): readonly string[] {
  const features = [...headers.getAll('require'), ...headers.getAll('proxy-require')].join(',').split(',')
  return features.map((feature) => feature.trim()).filter((feature) => feature !== '')
}

function inSession(session: RtspSession, answer: Answer): Answer {
  return { ...answer, headers: [['Session', session.id], ...(answer.headers ?? [])] }
}

/**
 * The transports that the request offers; only those by TCP when the address contains `?transport=tcp`, which is for clients that offer UDP
 * first and can't be configured.
 * @throws {RtspRefusal} when no transport is left
 */
function transportsOf({ headers }: RtspRequest, query: string): readonly Transport[] {
  const offered = refusedIfMalformed(461, () => parseTransports(headers.getAll('transport').join(',')))
  if (parseQuery(query)['transport'] !== 'tcp') return offered
  const interleaved = offered.filter(({ lowerTransport }) => lowerTransport === 'TCP')
  if (interleaved.length === 0) throw new RtspRefusal(461, 'the address asks for TCP')
  return interleaved
}

/** @throws {RtspRefusal} when the body is not a session description, or has no media */
function announcedMedias({ body }: RtspRequest): readonly MediaDescription[] {
  const { media } = refusedIfMalformed(400, () => parseSdp(body.toString()))
  if (media.length === 0) throw new RtspRefusal(400, 'the session description has no media')
  if (media.length > MAX_MEDIAS)
    throw new RtspRefusal(400, `the session description has more than ${MAX_MEDIAS} medias`)
  return media
}
