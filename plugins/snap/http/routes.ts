import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  parseTimeRange,
  StreamDenied,
  StreamNotFound,
  type PluginContext,
  type SessionInit,
  type Subscriber,
} from 'sluice/sdk'
import { requestUrl } from 'sluice/sdk/http'
import { PICTURE_MODE, type Album } from '../album/album.ts'
import type { Batches, BatchInit } from '../batch/batches.ts'
import type { SnapConfig } from '../config.ts'
import { newestKeyframe } from '../live/newest-keyframe.ts'
import type { PictureEncoder } from '../picture/picture-encoder.ts'
import { watermarkFilter, type Watermark } from '../picture/watermark.ts'
import { keepsPicture, paramsOf, readGranularity, readPictureQuery, readSnapTime } from './picture-query.ts'
import { sendErrorText, sendFailure, sendPicture, sessionOf, signalOf, streamPathOf } from './picture-replies.ts'

/** How long a stream that is there may take to have a keyframe. */
const KEYFRAME_WAIT_MS = 10_000
/** Of a time, the fields that a client may give. */
const RANGE = ['range', 'start', 'end'] as const

type RouteParts = {
  readonly ctx: PluginContext<SnapConfig>
  readonly encoder: PictureEncoder
  readonly album: Album
  readonly batches: Batches
}

/**
 * Adds the routes (api.md 8.7). Pictures are for those who may play the stream, so their routes are public and ask the gates; what keeps
 * pictures is for admins.
 */
export function addRoutes(parts: RouteParts): void {
  const { http } = parts.ctx
  const isPublic = { config: { access: 'public' }, errorHandler: sendErrorText } as const
  const isChange = { config: { access: 'admin', changes: true } } as const
  // Which of two routes with one path answers: a picture that is to be kept is another's business than one that is not.
  http.addConstraintStrategy({
    name: 'keepsPicture',
    storage: () => {
      const handlers = new Map<unknown, unknown>()
      return {
        get: (key: unknown) => (handlers.get(key) ?? null) as never,
        set: (key: unknown, handler: unknown) => void handlers.set(key, handler),
      }
    },
    deriveConstraint: ({ url = '' }: { readonly url?: string | undefined }) =>
      keepsPicture(paramsOf(url)) ? 'yes' : undefined,
    validate: () => {},
  })

  http.get('/*', isPublic, (request, reply) => sendLive(parts, request, reply))
  http.get('/*', { ...isChange, errorHandler: sendErrorText, constraints: { keepsPicture: 'yes' } }, (request, reply) =>
    keepLive(parts, request, reply),
  )
  http.get('/query/*', isPublic, (request, reply) => sendStored(parts, request, reply))
  http.get('/picture/*', isPublic, (request, reply) => sendKept(parts, request, reply))
  http.get('/batch/*', { ...isChange, errorHandler: sendFailure }, (request) => {
    parts.batches.startLive(batchOf(request))
    return { success: true, message: 'pictures of the stream are being taken' }
  })
  http.get('/batchplayback/*', { ...isChange, errorHandler: sendFailure }, (request) => startRecorded(parts, request))
}

/** The newest picture of a stream, for whoever may play it. */
async function sendLive(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const streamPath = streamPathOf(request)
  const { watermark } = readPictureQuery(paramsOf(request.url))
  const signal = signalOf(reply)
  const subscriber = await parts.ctx.streams.subscribe({ ...sessionOf(request, streamPath), signal })
  const filter = await filterFor(subscriber, watermark)
  const unit = await newestKeyframe(subscriber, KEYFRAME_WAIT_MS)
  return sendPicture(reply, await parts.encoder.encode(unit, { owner: streamPath, filter, signal }))
}

/** The filter of a watermark, which looks for a file of fonts: only for those whom the gates have let in. */
async function filterFor(subscriber: Subscriber, watermark: Watermark): Promise<string | undefined> {
  try {
    return await watermarkFilter(watermark)
  } catch (error) {
    subscriber.close('the watermark can not be used')
    throw error
  }
}

/** The newest picture of a stream, which is kept: the guard has let an admin through, and so no gate is asked. */
async function keepLive(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx, encoder, album } = parts
  const streamPath = streamPathOf(request)
  const { watermark, savePath: folder = '', isUrl } = readPictureQuery(paramsOf(request.url))
  const filter = await watermarkFilter(watermark)
  const signal = signalOf(reply)
  const session = { ...sessionOf(request, streamPath), query: '', type: 'api', signal } as const
  const unit = await newestKeyframe(await ctx.streams.subscribe(session), KEYFRAME_WAIT_MS)
  const atMs = Date.now()
  const jpeg = await encoder.encode(unit, { owner: streamPath, filter, signal })
  const filePath = await album.keep({ streamPath, atMs, mode: PICTURE_MODE.manual, folder, jpeg })
  if (!isUrl) return sendPicture(reply, jpeg)
  const url = new URL(`/snap/picture/${filePath.split('/').map(encodeURIComponent).join('/')}`, requestUrl(request.raw))
  // The path of a stream may have what Markdown takes for its own.
  const markdown = `![${streamPath.replaceAll(/[\\[\]!*_`<>]/gu, String.raw`\$&`)}](<${url.href}>)`
  return reply.headers({ 'cache-control': 'no-store' }).send({ url: url.href, markdown })
}

/** The stored picture at or before a time. */
async function sendStored(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx, album } = parts
  const streamPath = streamPathOf(request)
  const timeMs = readSnapTime(paramsOf(request.url))
  await ctx.streams.authenticate(sessionOf(request, streamPath))
  const jpeg = await album.newest(streamPath, timeMs - ctx.config.querytimedelta, timeMs)
  if (jpeg === undefined) throw new StreamNotFound('there is no picture of this time')
  return sendPicture(reply, jpeg)
}

/** A picture by its address: only those that are known, for whoever may play their stream. */
async function sendKept(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx, album } = parts
  const { '*': filePath = '' } = request.params as Readonly<Record<string, string>>
  const picture = await album.find(filePath)
  const isLetIn = picture !== undefined && (await mayPlay(ctx, sessionOf(request, picture.streamPath)))
  const jpeg = isLetIn ? await album.read(filePath) : undefined
  // Whoever may not see a picture does not learn that there is one.
  if (jpeg === undefined) throw new StreamNotFound('there is no such picture')
  return sendPicture(reply, jpeg)
}

async function mayPlay({ streams }: RouteParts['ctx'], session: SessionInit): Promise<boolean> {
  try {
    await streams.authenticate(session)
    return true
  } catch (error) {
    if (error instanceof StreamDenied) return false
    throw error
  }
}

async function startRecorded({ batches }: RouteParts, request: FastifyRequest) {
  await batches.startRecorded(batchOf(request))
  return { success: true, message: 'pictures of the recordings are being taken' }
}

/** @throws {InvalidRequest} */
function batchOf(request: FastifyRequest): BatchInit {
  const params = paramsOf(request.url)
  const given = Object.fromEntries(RANGE.flatMap((name) => (params[name] ? [[name, params[name]]] : [])))
  const nowMs = Date.now()
  const { startMs, endMs = nowMs } = parseTimeRange(given, nowMs)
  return { streamPath: streamPathOf(request), startMs, endMs, intervalMs: readGranularity(params) }
}
