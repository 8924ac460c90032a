import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CLIENT_LEFT,
  InvalidRequest,
  SluiceError,
  StreamDenied,
  StreamNotFound,
  StreamRedirect,
  StreamUnavailable,
  type SessionInit,
} from 'sluice/sdk'
import { carrierOf } from 'sluice/sdk/http'
import type { WebRtcContext } from '../plugin-context.ts'
import { DESCRIPTION_MAX_LENGTH } from '../sdp/remote-description.ts'
import { FRAGMENT_TYPE, parseTrickleFragment, serializeTrickleFragment } from '../sdp/trickle-fragment.ts'
import type { PeerSession } from '../server/peer-session.ts'
import type { Sessions } from '../server/sessions.ts'
import { iceServerLinks } from './ice-server-links.ts'
import { sessionTarget } from './session-target.ts'

const SDP_TYPE = 'application/sdp'
/** The `Retry-After` for a client that finds no room, or no stream. */
const RETRY_AFTER_SECONDS = 5
const TEMPORARY_REDIRECT = 307
/** The longest name of a simulcast layer. */
const MAX_LAYER_LENGTH = 64
const PUBLIC = { access: 'public' } as const

type Begin = (text: string, request: SessionInit) => Promise<PeerSession>
type SessionRequest = FastifyRequest<{ Params: { token: string } }>

/** The routes of WHIP (RFC 9725) and WHEP: those that begin a session, and those of a session. */
export class SignallingRoutes {
  readonly #ctx: WebRtcContext
  readonly #sessions: Sessions
  /** The running sessions by their tokens. */
  readonly #running = new Map<string, PeerSession>()

  constructor(ctx: WebRtcContext, sessions: Sessions) {
    this.#ctx = ctx
    this.#sessions = sessions
  }

  /** Adds the routes. Once. */
  add(): void {
    const { http } = this.#ctx
    http.addContentTypeParser<string>([SDP_TYPE, FRAGMENT_TYPE], { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    this.#addSessionRoutes()
    const sessions = this.#sessions
    this.#addEndpoint('publish', ['push', 'whip'], (text, request) => sessions.publish(text, request))
    this.#addEndpoint('play', ['play', 'whep'], (text, request) => sessions.play(text, request, layerOf(request)))
  }

  #addEndpoint(action: 'publish' | 'play', names: readonly string[], begin: Begin): void {
    for (const name of names) {
      const url = `/${name}/*`
      const allow = action === 'publish' ? 'DELETE, OPTIONS, POST' : 'OPTIONS, POST'
      this.#ctx.http.route({
        method: 'POST',
        url,
        // The gates decide who publishes or plays.
        config: PUBLIC,
        bodyLimit: DESCRIPTION_MAX_LENGTH,
        onRequest: async (_request, reply) => void reply.header('accept-post', SDP_TYPE),
        handler: (request, reply) => this.#begin(action, begin, request, reply),
      })
      this.#ctx.http.options(url, { config: PUBLIC }, (_request, reply) => {
        const link = iceServerLinks(this.#ctx.config.iceservers, false)
        if (link.length > 0) void reply.header('link', link)
        return reply.code(204).headers({ allow, 'accept-post': SDP_TYPE }).send()
      })
      // The DELETE of a publisher's address is an operation.
      this.#refuseOthers(url, allow, ['GET', 'PUT', 'PATCH', ...(action === 'play' ? (['DELETE'] as const) : [])])
    }
  }

  #addSessionRoutes(): void {
    const url = '/session/:token'
    const { http } = this.#ctx
    http.route<{ Params: { token: string } }>({
      method: 'PATCH',
      url,
      // The secret token authenticates the session's client.
      config: PUBLIC,
      bodyLimit: DESCRIPTION_MAX_LENGTH,
      onRequest: async (_request, reply) => void reply.header('accept-patch', FRAGMENT_TYPE),
      handler: (request, reply) => this.#patch(request, reply),
    })
    http.delete<{ Params: { token: string } }>(url, { config: PUBLIC }, (request, reply) => {
      this.#find(request).close(CLIENT_LEFT)
      return reply.send()
    })
    const allow = 'DELETE, OPTIONS, PATCH'
    http.options(url, { config: PUBLIC }, (_request, reply) =>
      reply.code(204).headers({ allow, 'accept-patch': FRAGMENT_TYPE }).send(),
    )
    this.#refuseOthers(url, allow, ['GET', 'POST', 'PUT'])
  }

  #refuseOthers(url: string, allow: string, method: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]): void {
    this.#ctx.http.route({
      method,
      url,
      config: PUBLIC,
      handler: (_request, reply) => {
        void reply.header('allow', allow)
        throw new SluiceError('METHOD_NOT_ALLOWED', 405, 'method not allowed')
      },
    })
  }

  async #begin(
    action: 'publish' | 'play',
    begin: Begin,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const text = bodyOf(request, SDP_TYPE)
    const carrier = carrierOf(request.raw)
    const leaving = new AbortController()
    const leave = () => leaving.abort()
    carrier.once('close', leave)
    const target = sessionTarget(request, leaving.signal)
    try {
      return this.#created(await begin(text, target), reply)
    } catch (error) {
      if (!carrier.destroyed) this.#logRefusal(action, error, target)
      return refuse(error, reply)
    } finally {
      carrier.off('close', leave)
    }
  }

  #created(session: PeerSession, reply: FastifyReply): FastifyReply {
    const token = this.#ctx.sessionToken()
    this.#running.set(token, session)
    session.onClose(() => this.#running.delete(token))
    const link = iceServerLinks(this.#ctx.config.iceservers, true)
    if (link.length > 0) void reply.header('link', link)
    const headers = { location: `/webrtc/session/${token}`, etag: session.etag, 'cache-control': 'no-store' }
    return reply.code(201).headers(headers).type(SDP_TYPE).send(session.answer)
  }

  async #patch(request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = this.#find(request)
    const fragment = parseTrickleFragment(bodyOf(request, FRAGMENT_TYPE))
    checkMatch(request.headers['if-match'], session.etag)
    if (fragment.ice === undefined || !session.isRestart(fragment)) {
      session.trickle(fragment)
      return reply.code(204).send()
    }
    const restarted = session.restart(fragment.ice, fragment)
    const body = serializeTrickleFragment(restarted, session.firstMedia)
    return reply.code(200).header('etag', session.etag).type(FRAGMENT_TYPE).send(body)
  }

  #find({ params }: SessionRequest): PeerSession {
    const session = this.#running.get(params.token)
    if (session === undefined) throw new StreamNotFound('there is no such session, or it has ended')
    return session
  }

  /** Logs the reason for a refusal. A denial is logged where it was decided, and an internal error where it is answered. */
  #logRefusal(action: 'publish' | 'play', error: unknown, { streamPath, client }: SessionInit): void {
    if (!(error instanceof SluiceError) || error instanceof StreamDenied) return
    const stream = error instanceof InvalidRequest ? undefined : streamPath
    this.#ctx.log.info({ stream, ip: client.ip, port: client.port, reason: error.message }, `${action} refused`)
  }
}

/** @throws {SluiceError} 415 for another type */
function bodyOf({ body, headers }: FastifyRequest, type: string): string {
  const [sent = ''] = (headers['content-type'] ?? '').split(';', 1)
  if (sent.trim().toLowerCase() !== type) throw new SluiceError('MEDIA_TYPE', 415, `the content type has to be ${type}`)
  return typeof body === 'string' ? body : ''
}

/** @throws {SluiceError} when `If-Match` is missing, or names another state of the session (RFC 9725 4.3.1) */
function checkMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined)
    throw new SluiceError('NO_IF_MATCH', 428, 'If-Match has to name the session as its ETag does')
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  // Clients write the star with quotes, as in the example of WHEP.
  if (tags.includes('*') || tags.includes('"*"') || tags.includes(etag)) return
  throw new SluiceError('NO_MATCH', 412, 'ICE was restarted meanwhile: If-Match names another state of the session')
}

function layerOf({ query }: SessionInit): string | undefined {
  const layer = new URLSearchParams(query).get('layer') ?? ''
  return layer === '' ? undefined : layer.slice(0, MAX_LAYER_LENGTH)
}

/** Adds the headers to a refusal that HTTP clients need to act on it, and leaves the rest to the host. */
function refuse(error: unknown, reply: FastifyReply): FastifyReply {
  // A client that is redirected repeats its POST with the same body.
  if (error instanceof StreamRedirect) return reply.code(TEMPORARY_REDIRECT).header('location', error.url).send()
  if (error instanceof StreamUnavailable || error instanceof StreamNotFound)
    void reply.header('retry-after', RETRY_AFTER_SECONDS)
  if (error instanceof StreamDenied) void reply.header('www-authenticate', 'Bearer')
  throw error
}
