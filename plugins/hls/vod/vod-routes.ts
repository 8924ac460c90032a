import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  checkStreamPath,
  parseTimeRange,
  StreamNotFound,
  StreamUnavailable,
  type PluginContext,
  type RecordedFile,
  type Recordings,
  type SessionInit,
  type TimeRange,
} from 'sluice/sdk'
import { requestClient, requestUrl } from 'sluice/sdk/http'
import type { HlsConfig } from '../config.ts'
import { mediaPlaylistPieces, type MediaPlaylist, type MediaSegment } from '../wire/media-playlist.ts'
import type { ListedSignature } from './listed-signature.ts'
import type { VodMedia } from './vod-media.ts'
import { fileSegments, vodSegments } from './vod-segments.ts'
import { parseVodTarget, type VodPlaylistKind, type VodTarget } from './vod-target.ts'

type VodRoutesOptions = {
  readonly ctx: PluginContext<HlsConfig>
  readonly signature: ListedSignature
  readonly media: VodMedia
}

/** A request for recordings: those of a path, in a time range. */
type Wanted = TimeRange & {
  readonly type?: string
  readonly streamPath: string
  /** The path of the request; the control server may have replaced it by `streamPath`. */
  readonly askedPath: string
}

type VodPlaylistTarget = VodTarget & { readonly kind: VodPlaylistKind }

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'
/** The number of segments in each piece in which playlists are sent. */
const PIECE_SEGMENTS = 500
/** The versions of playlists of MPEG-TS with durations that are not integers, and of EXT-X-MAP with byte ranges (RFC 8216bis 8). */
const VERSIONS = { ts: 3, fmp4: 7 } as const

/** Answers requests for recordings: playlists that don't change, and their segments. */
export class VodRoutes {
  readonly #ctx: PluginContext<HlsConfig>
  readonly #signature: ListedSignature
  readonly #media: VodMedia

  constructor({ ctx, signature, media }: VodRoutesOptions) {
    this.#ctx = ctx
    this.#signature = signature
    this.#media = media
  }

  /** Answers a request; undefined for one that is not for recordings. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined {
    const { url = '/' } = request.raw
    const at = url.indexOf('?')
    const query = at < 0 ? '' : url.slice(at + 1)
    const target = at < 0 ? undefined : parseVodTarget(url.slice(0, at), query)
    if (target === undefined) return undefined
    const { kind, params } = target
    const streamPath = checkStreamPath(target.streamPath)
    const { type } = params
    const init = { streamPath, url: requestUrl(request.raw), query, client: requestClient(request.raw) }
    const exchange = { reply, init, params }
    if (kind === 'file') return this.#media.file(exchange)
    const range = parseTimeRange(params, Date.now())
    if (kind === 'segment') return this.#media.segment(exchange, range)
    const wanted = { streamPath, askedPath: streamPath, ...(type !== undefined && { type }), ...range }
    return this.#playlist(reply, { ...target, kind }, wanted, init)
  }

  /** Answers the request for a playlist, which is the play session: it passes all gates. */
  async #playlist(
    reply: FastifyReply,
    target: VodPlaylistTarget,
    wanted: Wanted,
    init: SessionInit,
  ): Promise<FastifyReply> {
    const play = await this.#ctx.streams.admit(init)
    try {
      const { streamPath } = play
      const found = { ...wanted, streamPath }
      const segments = target.kind === 'ts' ? await this.#tsSegments(target, found) : await this.#files(target, found)
      if (segments.length === 0) throw new StreamNotFound(`nothing of ${init.streamPath} was recorded in this time`)
      reply.headers({ 'content-type': PLAYLIST_TYPE, 'cache-control': 'no-cache, no-store' })
      if (reply.request.method === 'HEAD') return reply.send()
      return reply.send(Readable.from(batched(mediaPlaylistPieces(playlistOf(VERSIONS[target.kind], segments)))))
    } finally {
      play.close('listed')
    }
  }

  async #tsSegments({ toMount, carried }: VodTarget, wanted: Wanted): Promise<MediaSegment[]> {
    const { askedPath, streamPath } = wanted
    const files = await this.#recordings.find(wanted)
    const type = files[0]?.type ?? ''
    const address = `${toMount}download/${encodedPath(askedPath)}.ts`
    const segments = vodSegments(files, await this.#fromKeyframe({ ...wanted, type }, files))
    return segments.map(({ startMs, endMs, clockMs, discontinuity }) => {
      const signature = this.#signature.sign({ askedPath, what: ['ts', startMs, endMs, type, clockMs] }, streamPath)
      const what = `start=${startMs}&end=${endMs}&type=${encodeURIComponent(type)}&clock=${clockMs}`
      const query = `${what}&seg=${signature}${carried}`
      const durationSeconds = (endMs - startMs) / 1000
      return { uri: `${address}?${query}`, durationSeconds, programDateTimeMs: startMs, discontinuity }
    })
  }

  async #files({ toMount, carried }: VodTarget, wanted: Wanted): Promise<MediaSegment[]> {
    const { askedPath, streamPath } = wanted
    const files = await this.#recordings.find({ ...wanted, type: 'mp4' })
    const address = `${toMount}download/${encodedPath(askedPath)}.fmp4`
    return fileSegments(files, ({ id }) => {
      const signature = this.#signature.sign({ askedPath, what: ['fmp4', id] }, streamPath)
      return `${address}?id=${id}&seg=${signature}${carried}`
    })
  }

  /** The range from the keyframe with which its first segment begins, when it begins within a file. */
  async #fromKeyframe(wanted: Wanted, files: readonly RecordedFile[]): Promise<Wanted> {
    const { startMs } = wanted
    const isWithin = startMs !== undefined && files.some((file) => file.startMs < startMs && startMs < file.endMs)
    if (!isWithin) return wanted
    const stop = new AbortController()
    try {
      const { dates } = await this.#recordings.open(wanted, stop.signal)
      return { ...wanted, startMs: dates?.dateOf(0) }
    } finally {
      stop.abort()
    }
  }

  get #recordings(): Recordings {
    const recordings = this.#ctx.services.get('recordings')
    if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
    return recordings
  }
}

function playlistOf(version: number, segments: readonly MediaSegment[]): MediaPlaylist {
  let longestSeconds = 1
  for (const { durationSeconds } of segments) longestSeconds = Math.max(longestSeconds, durationSeconds)
  return {
    version,
    segments,
    targetDurationSeconds: Math.ceil(longestSeconds),
    ended: true,
    playlistType: 'VOD',
    mediaSequence: 0,
    discontinuitySequence: 0,
    independentSegments: true,
  }
}

function* batched(pieces: Iterable<string>): Generator<string> {
  let text = ''
  let count = 0
  for (const piece of pieces) {
    text += piece
    count += 1
    if (count % PIECE_SEGMENTS > 0) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function encodedPath(streamPath: string): string {
  return streamPath.split('/').map(encodeURIComponent).join('/')
}
