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

/** The time for which caches may keep segments: a recording does not change until it is deleted. */
const SEGMENT_AGE_SECONDS = 3600
/** The size of one read of a file. */
const READ_SIZE_BYTES = 256 * 1024
const ID = /^[1-9]\d{0,9}$/u
const CLOCK = /^-?\d{1,15}$/u
const MAX_ID = 2 ** 31 - 1

type VodMediaOptions = {
  readonly ctx: PluginContext<HlsConfig>
  /** The caches that may keep segments. */
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

/** An admitted client: the path of its recordings, and the signal that ends its admission. */
type Entered = { readonly streamPath: string; readonly signal: AbortSignal }

/** Answers requests for the entries of playlists of recordings. */
export class VodMedia {
  readonly #options: VodMediaOptions

  constructor(options: VodMediaOptions) {
    this.#options = options
  }

  /** Sends the recordings of a time range as MPEG-TS. */
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

  /** Sends a fragmented MP4 file unchanged. */
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

  /** Admits a client: by the gates that check the query for an entry of a playlist; else by all of them, as for a play. */
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

/** A file with bytes that do not change, though others may be appended. */
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
