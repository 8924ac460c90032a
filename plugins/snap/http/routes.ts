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
import type { Album } from '../album/album.ts'
import type { Batches, BatchInit } from '../batch/batches.ts'
import type { SnapConfig } from '../config.ts'
import { KEYFRAME_WAIT_MS, keepNewest } from '../live/kept-picture.ts'
import { newestKeyframe } from '../live/newest-keyframe.ts'
import type { PictureEncoder } from '../picture/picture-encoder.ts'
import { watermarkFilter, type Watermark } from '../picture/watermark.ts'
import { keepsPicture, paramsOf, readGranularity, readPictureQuery, readSnapTime } from './picture-query.ts'
import { sendErrorText, sendFailure, sendPicture, sessionOf, signalOf, streamPathOf } from './picture-replies.ts'

/** The fields of a time range that a client may send. */
const RANGE = ['range', 'start', 'end'] as const

type RouteParts = {
  readonly ctx: PluginContext<SnapConfig>
  readonly encoder: PictureEncoder
  readonly album: Album
  readonly batches: Batches
}

/**
 * Adds the routes (api.md 8.7). Pictures are for clients that may play the stream, so their routes are public and ask the gates; routes
 * that keep pictures are for admins.
 */
export function addRoutes(parts: RouteParts): void {
  const { http } = parts.ctx
  const isPublic = { config: { access: 'public' }, errorHandler: sendErrorText } as const
  const isChange = { config: { access: 'admin', changes: true } } as const
  // The constraint selects one of two routes with the same path: a picture that is to be kept needs other permissions.
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

/** Sends the newest picture of a stream to a client that may play it. */
async function sendLive(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const streamPath = streamPathOf(request)
  const { watermark } = readPictureQuery(paramsOf(request.url))
  const signal = signalOf(reply)
  const subscriber = await parts.ctx.streams.subscribe({ ...sessionOf(request, streamPath), signal })
  const filter = await filterFor(subscriber, watermark)
  const unit = await newestKeyframe(subscriber, KEYFRAME_WAIT_MS)
  return sendPicture(reply, await parts.encoder.encode(unit, { owner: streamPath, filter, signal }))
}

/** The filter of a watermark, which reads font files: only for clients that the gates have admitted. */
async function filterFor(subscriber: Subscriber, watermark: Watermark): Promise<string | undefined> {
  try {
    return await watermarkFilter(watermark)
  } catch (error) {
    subscriber.close('the watermark can not be used')
    throw error
  }
}

/** Keeps the newest picture of a stream: the guard has admitted an admin, and so no gate is asked. */
async function keepLive(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const streamPath = streamPathOf(request)
  const { watermark, savePath: folder = '', isUrl } = readPictureQuery(paramsOf(request.url))
  const filter = await watermarkFilter(watermark)
  const session = { ...sessionOf(request, streamPath), signal: signalOf(reply) }
  const { filePath, jpeg } = await keepNewest(parts, { session, folder, filter })
  if (!isUrl) return sendPicture(reply, jpeg)
  const url = new URL(`/snap/picture/${filePath.split('/').map(encodeURIComponent).join('/')}`, requestUrl(request.raw))
  // The path of a stream may contain characters with a meaning in Markdown.
  const markdown = `![${streamPath.replaceAll(/[\\[\]!*_`<>]/gu, String.raw`\$&`)}](<${url.href}>)`
  return reply.headers({ 'cache-control': 'no-store' }).send({ url: url.href, markdown })
}

/** Sends the stored picture at or before a time. */
async function sendStored(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx, album } = parts
  const streamPath = streamPathOf(request)
  const timeMs = readSnapTime(paramsOf(request.url))
  await ctx.streams.authenticate(sessionOf(request, streamPath))
  const jpeg = await album.newest(streamPath, timeMs - ctx.config.querytimedelta, timeMs)
  if (jpeg === undefined) throw new StreamNotFound('there is no picture of this time')
  return sendPicture(reply, jpeg)
}

/** Sends a kept picture by its address to a client that may play its stream. */
async function sendKept(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx, album } = parts
  const { '*': filePath = '' } = request.params as Readonly<Record<string, string>>
  const picture = await album.find(filePath)
  const isLetIn = picture !== undefined && (await mayPlay(ctx, sessionOf(request, picture.streamPath)))
  const jpeg = isLetIn ? await album.read(filePath) : undefined
  // A client without permission gets the same answer as for a missing picture.
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
