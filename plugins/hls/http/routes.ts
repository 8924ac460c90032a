import type { FastifyReply, FastifyRequest } from 'fastify'
import { InvalidRequest, SluiceError, StreamNotFound, type PluginContext } from 'sluice/sdk'
import { addressText } from './request-target.ts'
import type { Admission } from '../sessions/admission.ts'
import type { HlsConfig } from '../config.ts'
import type { HlsStreamKey } from '../hls-stream.ts'
import type { HlsStreams, NumberMemory } from '../hls-streams.ts'
import { PlaylistText } from './playlist-cache.ts'
import type { SequenceNumbers } from '../presentation/sequence-numbers.ts'
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
}

/** The routes of the generation before: its viewers stay with it, though all requests come to the newest one. */
export interface FormerRoutes {
  /** The routes of the generation before it, as long as that one has viewers. */
  readonly former: FormerRoutes | undefined
  /** Whether it has no viewers any more. */
  readonly ended: boolean
  /** The numbers to go on with for playlists whose presentation is gone, of all generations. */
  readonly numbers: NumberMemory
  /** Whether what is asked for is its own, or of one before it. */
  owns(target: RequestTarget): boolean
  /** @param scope who may keep files, by the config that holds now */
  handle(request: FastifyRequest, reply: FastifyReply, scope: CacheScope): Promise<FastifyReply>
  nextNumbers(key: HlsStreamKey): SequenceNumbers | undefined
}

declare module 'sluice/sdk' {
  interface Services {
    'hls:former': FormerRoutes
  }
}

/** The caches that may keep files. */
export type CacheScope = 'public' | 'private'

type Targeted<Kind extends RequestTarget['kind']> = Extract<RequestTarget, { readonly kind: Kind }>

/** A blocking reload may ask for so many segments past the last complete one at most (rfc8216bis 6.2.5.2). */
const MAX_SEGMENTS_AHEAD = 2
/** Requests of one session that wait at a time; players have one for each rendition they play. */
const MAX_WAITING = 10
/** It names a session, which is its viewer's own. */
const MULTIVARIANT_CACHE_CONTROL = 'no-cache, no-store'

/** Answers what is asked below the plugin's mounts. */
export class Routes implements FormerRoutes {
  readonly #options: RoutesOptions
  /** The session that asked for a playlist over a connection last: requests for files don't say whose they are. */
  readonly #viewers = new WeakMap<object, Session>()

  #former: FormerRoutes | undefined
  #ended = false

  /** @param former those of the generation before, if there is one */
  constructor(options: RoutesOptions, former: FormerRoutes | undefined) {
    this.#options = options
    this.#former = former
  }

  get former(): FormerRoutes | undefined {
    this.forgetEnded()
    return this.#former
  }

  get ended(): boolean {
    return this.#ended
  }

  get numbers(): NumberMemory {
    return this.#options.hlsStreams.numbers
  }

  owns(target: RequestTarget): boolean {
    const { sessions, hlsStreams } = this.#options
    if (target.kind === 'media' && sessions.knows(target.token, target.streamPath)) return true
    if (target.kind === 'file' && hlsStreams.ofFile(target.name) !== undefined) return true
    return target.kind !== 'multivariant' && this.former?.owns(target) === true
  }

  nextNumbers(key: HlsStreamKey): SequenceNumbers | undefined {
    return this.#options.hlsStreams.nextNumbers(key)
  }

  /** Lets go of generations that have ended; those before them may still have viewers. */
  forgetEnded(): void {
    while (this.#former?.ended === true) this.#former = this.#former.former
  }

  /** Its viewers come in anew from now on, at the generation that is there. */
  dispose(): void {
    this.#ended = true
  }

  async handle(request: FastifyRequest, reply: FastifyReply, scope = this.#cacheScope): Promise<FastifyReply> {
    const { url = '/' } = request.raw
    const at = url.indexOf('?')
    const target = parseRequestTarget(at < 0 ? url : url.slice(0, at))
    const { former } = this
    if (target !== undefined && former?.owns(target) === true) return former.handle(request, reply, scope)
    const query = at < 0 ? '' : url.slice(at + 1)
    const exchange = { request: request.raw, response: reply.raw }
    switch (target?.kind) {
      case 'multivariant':
        return this.#multivariant(exchange, reply, target, query)
      case 'media':
        return this.#media(exchange, reply, target, query)
      case 'file':
        return this.#file(exchange, reply, target, query, scope)
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
    sendReady(exchange, new PlaylistText(text, MULTIVARIANT_CACHE_CONTROL).reply(acceptsGzip(exchange.request)))
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
    // A stop of the server ends sessions, too; the gates tell of it.
    if (sessions.wasStopped(token)) throw new SluiceError('STOPPED', 410, 'the session was stopped')
    // It may have ended while the gates took their time.
    const session = this.#current(target)
    if (session === undefined) return this.#renew(exchange, reply, target, query)
    session.touch(nowMs())
    this.#viewers.set(connectionOf(exchange), session)
    this.#sendMedia(exchange, reply, session, target.rendition, reload)
    return reply
  }

  /**
   * The session that a playlist is asked for in. One whose stream is over goes on to its end, but not with what a next
   * publisher sends.
   */
  #current({ token, streamPath }: Targeted<'media'>): Session | undefined {
    const session = this.#options.sessions.find(token, streamPath)
    if (session === undefined || session.hlsStream.disposed) return undefined
    const { hlsStream, over } = session
    return !over || hlsStream.ended || this.#options.ctx.streams.get(hlsStream.streamPath) === undefined
      ? session
      : undefined
  }

  #sendMedia(exchange: HttpExchange, reply: FastifyReply, session: Session, name: string, reload: ReloadQuery): void {
    const { hlsStream } = session
    const rendition = hlsStream.presentation.renditions.get(name)
    if (rendition === undefined) throw new StreamNotFound()
    const { carried, skip, msn, part } = reload
    const request = { carried, skip, gzip: acceptsGzip(exchange.request) }
    if (msn !== undefined && !hlsStream.ended && !rendition.has(msn, part)) {
      checkAhead(rendition, msn)
      if (session.waitingCount >= MAX_WAITING) throw new SluiceError('BUSY', 429, 'too many requests wait')
      reply.hijack()
      const { nowMs } = this.#options
      hlsStream.waiting.add(new WaitingPlaylist({ exchange, session, rendition, msn, part, request, nowMs }))
      return
    }
    const text = hlsStream.playlist(name, request)
    if (text === undefined) throw new StreamNotFound()
    reply.hijack()
    sendReady(exchange, text)
  }

  /** A session that has ended, or was another server's, goes on as a new one: its viewer passes all gates again. */
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
    scope: CacheScope,
  ): Promise<FastifyReply> {
    const { ctx, admission, hlsStreams, nowMs } = this.#options
    await admission.authenticate(exchange, streamPath, query)
    const hlsStream = hlsStreams.ofFile(name)
    const file = hlsStream?.serves(streamPath) === true ? hlsStream.presentation.file(name) : undefined
    if (hlsStream === undefined || file === undefined) throw new StreamNotFound()
    this.#viewers.get(connectionOf(exchange))?.touch(nowMs())
    const cacheControl = `${scope}, max-age=${hlsStream.windowSeconds}, immutable`
    const policy = { cacheControl, stallMs: ctx.config.subscribe.stalltimeout }
    reply.hijack()
    if ('coming' in file) {
      const deadlineMs = nowMs() + MAX_WAIT_TARGETS * hlsStream.targetMs
      hlsStream.waiting.add(
        new WaitingFile({ exchange, presentation: hlsStream.presentation, name, policy, deadlineMs }),
      )
    } else sendFile(exchange, file, policy)
    return reply
  }

  /** A shared cache would go on serving those whose time is over, where a gate looks at the query. */
  get #cacheScope(): CacheScope {
    const { enableauth, signed_policy: policy } = this.#options.ctx.config
    return enableauth || policy.enable ? 'private' : 'public'
  }
}

function checkAhead({ lastMsn, lastPart }: Rendition, msn: number): void {
  const lastComplete = lastPart < 0 ? lastMsn : lastMsn - 1
  if (msn > lastComplete + MAX_SEGMENTS_AHEAD) throw new InvalidRequest('_HLS_msn is too far ahead')
}
