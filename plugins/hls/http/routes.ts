import type { FastifyReply, FastifyRequest } from 'fastify'
import { InvalidRequest, SluiceError, StreamNotFound, type PluginContext } from 'sluice/sdk'
import { addressText } from './request-target.ts'
import type { Admission } from '../sessions/admission.ts'
import type { HlsConfig } from '../config.ts'
import type { HlsStreams } from '../hls-streams.ts'
import { PlaylistText } from './playlist-cache.ts'
import type { Rendition } from '../presentation/rendition.ts'
import { parseReloadQuery, type ReloadQuery } from './reload-query.ts'
import { acceptsGzip, connectionOf, sendFile, sendReady, type HttpExchange } from './replies.ts'
import type { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { parseRequestTarget, type RequestTarget } from './request-target.ts'
import { WaitingFile } from './waiting-file.ts'
import { MAX_WAIT_TARGETS, WaitingPlaylist } from './waiting-playlist.ts'
import { serializeMultivariantPlaylist } from '../wire/multivariant-playlist.ts'

export type RoutesOptions = {
  readonly ctx: PluginContext<HlsConfig>
  readonly hlsStreams: HlsStreams
  readonly sessions: Sessions
  readonly admission: Admission
  readonly nowMs: () => number
  /** The caches that may keep files, by the current config, whichever generation answers. */
  readonly caching: { readonly scope: CacheScope }
}

/** The caches that may keep files. */
export type CacheScope = 'public' | 'private'

type Targeted<Kind extends RequestTarget['kind']> = Extract<RequestTarget, { readonly kind: Kind }>

/** The most segments after the last complete one that a blocking reload may ask for (rfc8216bis 6.2.5.2). */
const MAX_SEGMENTS_AHEAD = 2
/** The most requests of one session that wait at a time; players have one for each rendition they play. */
const MAX_WAITING = 10
/** The address contains a session, which belongs to one viewer. */
const MULTIVARIANT_CACHE_CONTROL = 'no-cache, no-store'

/** Answers the requests below the plugin's mounts. */
export class Routes {
  readonly #options: RoutesOptions
  /** The last session with a playlist over a connection, as requests for files do not name their session. */
  readonly #viewers = new WeakMap<object, Session>()

  constructor(options: RoutesOptions) {
    this.#options = options
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { url = '/' } = request.raw
    const at = url.indexOf('?')
    const target = parseRequestTarget(at < 0 ? url : url.slice(0, at))
    const query = at < 0 ? '' : url.slice(at + 1)
    const exchange = { request: request.raw, response: reply.raw }
    switch (target?.kind) {
      case 'multivariant':
        return this.#multivariant(exchange, reply, target, query)
      case 'media':
        return this.#media(exchange, reply, target, query)
      case 'file':
        return this.#file(exchange, reply, target, query)
      case undefined:
        throw new StreamNotFound()
    }
  }

  async #multivariant(
    exchange: HttpExchange,
    reply: FastifyReply,
    { streamPath, folder }: Targeted<'multivariant'>,
    query: string,
  ): Promise<FastifyReply> {
    const { carried } = parseReloadQuery(query)
    const session = await this.#options.admission.open(exchange, streamPath, query)
    const text = serializeMultivariantPlaylist(
      session.hlsStream.presentation.multivariant(),
      (uri) => `${folder}${session.token}/${uri}${carried}`,
    )
    if (reply.request.method === 'HEAD') this.#options.sessions.end(session, 'head')
    reply.hijack()
    const answer = new PlaylistText(text, MULTIVARIANT_CACHE_CONTROL).reply(acceptsGzip(exchange.request))
    sendReady(exchange, answer, session.subscriber)
    return reply
  }

  async #media(
    exchange: HttpExchange,
    reply: FastifyReply,
    target: Targeted<'media'>,
    query: string,
  ): Promise<FastifyReply> {
    const { admission, sessions, nowMs } = this.#options
    const { token, streamPath } = target
    const reload = parseReloadQuery(query)
    if (this.#current(target) === undefined && !sessions.wasStopped(token)) {
      return this.#renew(exchange, reply, target, query)
    }
    await admission.authenticate(exchange, streamPath, query)
    // A stop of the server ends sessions, too; the gates report it.
    if (sessions.wasStopped(token)) throw new SluiceError('STOPPED', 410, 'the session was stopped')
    // The session may have ended while the gates decided.
    const session = this.#current(target)
    if (session === undefined) return this.#renew(exchange, reply, target, query)
    session.touch(nowMs())
    this.#viewers.set(connectionOf(exchange), session)
    this.#sendMedia(exchange, reply, session, target.rendition, reload)
    return reply
  }

  /**
   * The session in which a playlist is requested. A session of a stream that is over goes on to its end, but does not get the next
   * publisher's media.
   */
  #current({ token, streamPath }: Targeted<'media'>): Session | undefined {
    const session = this.#options.sessions.find(token, streamPath)
    if (session === undefined || session.source.disposed) return undefined
    const { source, over, subscriber } = session
    return !over || source.ended || this.#options.ctx.streams.get(subscriber.sourcePath) === undefined
      ? session
      : undefined
  }

  #sendMedia(exchange: HttpExchange, reply: FastifyReply, session: Session, name: string, reload: ReloadQuery): void {
    const { source } = session
    const rendition = source.rendition(name)
    if (rendition === undefined) throw new StreamNotFound()
    const { carried, skip, msn, part } = reload
    const request = { carried, skip, gzip: acceptsGzip(exchange.request) }
    if (msn !== undefined && !source.ended && !rendition.has(msn, part)) {
      checkAhead(rendition, msn)
      if (session.waitingCount >= MAX_WAITING) throw new SluiceError('BUSY', 429, 'too many requests wait')
      reply.hijack()
      const { nowMs } = this.#options
      source.waiting.add(new WaitingPlaylist({ exchange, session, name, msn, part, request, nowMs }))
      return
    }
    const text = source.playlist(name, request)
    if (text === undefined) throw new StreamNotFound()
    reply.hijack()
    sendReady(exchange, text, session.subscriber)
  }

  /** Opens a new session for one that has ended, or was another server's: its viewer passes all gates again. */
  async #renew(
    exchange: HttpExchange,
    reply: FastifyReply,
    { token, streamPath, rendition }: Targeted<'media'>,
    query: string,
  ): Promise<FastifyReply> {
    const { carried } = parseReloadQuery(query)
    const session = await this.#options.admission.renew(exchange, token, streamPath, query)
    const name = addressText(encodeURIComponent(rendition))
    const location = `../${session.token}/${name}.m3u8${carried}`
    return reply.code(302).headers({ location, 'cache-control': 'no-store' }).send()
  }

  async #file(
    exchange: HttpExchange,
    reply: FastifyReply,
    { streamPath, name }: Targeted<'file'>,
    query: string,
  ): Promise<FastifyReply> {
    const { ctx, admission, hlsStreams, nowMs, caching } = this.#options
    await admission.authenticate(exchange, streamPath, query)
    const hlsStream = hlsStreams.ofFile(name)
    const file = hlsStream?.serves(streamPath) === true ? hlsStream.presentation.file(name) : undefined
    if (hlsStream === undefined || file === undefined) throw new StreamNotFound()
    const session = this.#viewers.get(connectionOf(exchange))
    session?.touch(nowMs())
    const cacheControl = `${caching.scope}, max-age=${hlsStream.windowSeconds}, immutable`
    const policy = { cacheControl, stallMs: ctx.config.subscribe.stalltimeout, subscriber: session?.subscriber }
    reply.hijack()
    if ('coming' in file) {
      const deadlineMs = nowMs() + MAX_WAIT_TARGETS * hlsStream.targetMs
      hlsStream.waiting.add(
        new WaitingFile({ exchange, presentation: hlsStream.presentation, name, policy, deadlineMs }),
      )
    } else sendFile(exchange, file, policy)
    return reply
  }
}

/** Returns `private` when a gate checks the query, as a shared cache would go on serving clients after their permission has expired. */
export function cacheScopeOf({ enableauth, signed_policy: policy }: HlsConfig): CacheScope {
  return enableauth || policy.enable ? 'private' : 'public'
}

function checkAhead({ lastMsn, lastPart }: Pick<Rendition, 'lastMsn' | 'lastPart'>, msn: number): void {
  const lastComplete = lastPart < 0 ? lastMsn : lastMsn - 1
  if (msn > lastComplete + MAX_SEGMENTS_AHEAD) throw new InvalidRequest('_HLS_msn is too far ahead')
}
