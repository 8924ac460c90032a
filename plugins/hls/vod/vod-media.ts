import type { FastifyReply } from 'fastify'
import {
  InvalidRequest,
  StreamNotFound,
  StreamUnavailable,
  type PlayAdmission,
  type PluginContext,
  type RecordedFile,
  type RecordingBytes,
  type SessionInit,
  type TimeRange,
} from 'sluice/sdk'
import { sendRanged, sendRecording, type ByteRange } from 'sluice/sdk/http'
import { TS_FORMAT } from 'sluice/sdk/media'
import type { HlsConfig } from '../config.ts'
import type { CacheScope } from '../http/routes.ts'
import type { Listed, ListedSignature } from './listed-signature.ts'

/** Caches may keep segments so long: what was recorded stays as it is, until it is deleted. */
const SEGMENT_AGE_SECONDS = 3600
/** So much of a file is read at a time. */
const READ_SIZE_BYTES = 256 * 1024
const ID = /^[1-9]\d{0,9}$/u
const CLOCK = /^-?\d{1,15}$/u
const MAX_ID = 2 ** 31 - 1

type VodMediaOptions = {
  readonly ctx: PluginContext<HlsConfig>
  /** Who may keep segments. */
  readonly caching: { readonly scope: CacheScope }
  readonly signature: ListedSignature
}

/** A request for media, and its answer. */
export type MediaExchange = {
  readonly reply: FastifyReply
  readonly init: SessionInit
  /** The query, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** Who was let in: to the recordings of which path, and until when. */
type Entered = { readonly streamPath: string; readonly signal: AbortSignal }

/** Answers requests for what playlists of recordings list. */
export class VodMedia {
  readonly #options: VodMediaOptions

  constructor(options: VodMediaOptions) {
    this.#options = options
  }

  /** What was recorded of a time, as MPEG-TS. */
  async segment(exchange: MediaExchange, { startMs, endMs }: TimeRange): Promise<FastifyReply> {
    const { ctx } = this.#options
    const { type, clock } = exchange.params
    const clockMs = clock === undefined ? undefined : clockOf(clock)
    const { streamPath, signal } = await this.#enter(exchange, ['ts', startMs, endMs, type, clockMs])
    const wanted = { streamPath, startMs, endMs, clockMs, ...(type !== undefined && { type }) }
    return sendRecording(ctx, exchange.reply, wanted, {
      format: TS_FORMAT,
      times: 'dates',
      signal,
      headers: () => ({
        'content-type': 'video/mp2t',
        'cache-control': this.#cacheControl,
      }),
      stallMs: ctx.config.subscribe.stalltimeout,
    })
  }

  /** A fragmented MP4 file as it is. */
  async file(exchange: MediaExchange): Promise<FastifyReply> {
    const { reply, params } = exchange
    const id = ID.test(params['id'] ?? '') ? Number(params['id']) : Number.NaN
    if (!(id <= MAX_ID)) throw new StreamNotFound('no recording has this id')
    const { streamPath, signal } = await this.#enter(exchange, ['fmp4', id])
    const recordings = this.#options.ctx.services.get('recordings')
    if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
    const { files } = await recordings.list({ type: 'mp4', streamPath, ids: [id] }, { limit: 1, offset: 0 })
    const [file] = files
    if (file === undefined) throw new StreamNotFound(`no recording of ${exchange.init.streamPath} has this id`)
    const remoteUrl = reply.request.method === 'GET' ? await recordings.remoteUrl(file) : undefined
    if (remoteUrl !== undefined) return reply.redirect(remoteUrl, 302)
    const bytes = await recordings.openBytes(file, signal)
    const close = () => void bytes.close()
    signal.addEventListener('abort', close)
    if (signal.aborted) close()
    reply.header('cache-control', file.isActive ? 'no-cache' : this.#cacheControl)
    return sendRanged(reply, contentOf(bytes, file))
  }

  /** By the gates that look at the query for what a playlist listed; else by all of them, as for a play. */
  async #enter({ reply, init, params }: MediaExchange, what: Listed['what']): Promise<Entered> {
    const { ctx, signature } = this.#options
    const leaving = new AbortController()
    const { signal } = leaving
    let play: PlayAdmission | undefined
    reply.raw.once('close', () => {
      leaving.abort()
      play?.close('sent')
    })
    const listedPath = signature.verify(params['seg'] ?? '', { askedPath: init.streamPath, what })
    if (listedPath !== undefined) {
      await ctx.streams.authenticate(init)
      return { streamPath: listedPath, signal }
    }
    play = await ctx.streams.admit({ ...init, signal })
    play.onClose(() => leaving.abort())
    return { streamPath: play.streamPath, signal }
  }

  get #cacheControl(): string {
    return `${this.#options.caching.scope}, max-age=${SEGMENT_AGE_SECONDS}`
  }
}

/** @throws {InvalidRequest} */
function clockOf(text: string): number {
  if (!CLOCK.test(text)) throw new InvalidRequest('clock must be one that a playlist names')
  return Number(text)
}

/** A file whose bytes stay as they are, though others may follow. */
function contentOf(bytes: RecordingBytes, { id }: RecordedFile) {
  const { sizeBytes } = bytes
  return {
    type: 'video/mp4',
    sizeBytes,
    etag: `"${id}-${sizeBytes}"`,
    async *read({ first, last }: ByteRange): AsyncGenerator<Buffer, void> {
      for (let offset = first; offset <= last; offset += READ_SIZE_BYTES) {
        const size = Math.min(READ_SIZE_BYTES, last + 1 - offset)
        const piece = await bytes.read(offset, size)
        if (piece.length < size) throw new Error('a recording became shorter while it was sent')
        yield piece
      }
    },
  }
}
