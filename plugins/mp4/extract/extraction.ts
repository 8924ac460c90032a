import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  checkStreamPath,
  CLIENT_LEFT,
  InvalidRequest,
  parseQuery,
  parseTime,
  parseTimeRange,
  StreamNotFound,
  StreamUnavailable,
  WorkQueue,
  type InheritedConfig,
  type PlayAdmission,
  type PluginContext,
} from 'sluice/sdk'
import { requestClient, requestUrl } from 'sluice/sdk/http'
import { extractBody, piecesOf } from './extract-body.ts'
import { gopAsMp4 } from './one-gop.ts'
import { isMainKeyframe, openRecording, unitsOf } from './recorded-units.ts'
import { timeLapseAsMp4, type TimeLapse } from './time-lapse.ts'

/** The content of recordings does not change, but the permission to read it depends on the client. */
const HEADERS = { 'cache-control': 'no-store' } as const
/** The longest group of pictures that is extracted. */
const MAX_GOP_MS = 60_000
const MAX_PART_SECONDS = 3600
const MAX_INTERVAL = 100_000
/**
 * The number of extracts that are made and sent at a time, each with a group of pictures in memory, and the number that wait for their
 * turn.
 */
const EXTRACTS = { working: 2, waiting: 16, refusal: 'too many parts of recordings are wanted at a time; try again' }

type Params = Readonly<Record<string, string>>

/** A request for an extract: the stream and the parameters. */
type Asked = { readonly streamPath: string; readonly params: Params; readonly signal: AbortSignal }

/**
 * Adds the routes that extract parts of recordings (api.md 9): a picture, a group of pictures, a time-lapse. They are for clients that may
 * play the stream.
 */
export function addExtraction(ctx: PluginContext<Pick<InheritedConfig, 'subscribe'>>): void {
  const queue = new WorkQueue(EXTRACTS)
  const add = (path: string, send: (asked: Asked, reply: FastifyReply) => Promise<FastifyReply>) =>
    ctx.http.get(`${path}/*`, { config: { access: 'public' } }, async (request, reply) =>
      send(await admitted(ctx, request, reply), reply.headers(HEADERS)),
    )

  add('/snap', async ({ streamPath, params, signal }, reply) => {
    const pictures = ctx.services.get('pictures')
    if (pictures === undefined) throw new StreamUnavailable('pictures are made by the plugin snap, which does not run')
    const atMs = targetTimeOf(params)
    const recording = await openRecording(ctx, { streamPath, startMs: atMs, endMs: atMs + 1 }, signal)
    for await (const unit of unitsOf(recording)) {
      if (isMainKeyframe(recording, unit)) return reply.type('image/jpeg').send(await pictures.encode(unit, signal))
    }
    throw new StreamNotFound('there is no keyframe at this time')
  })

  const addExtract: typeof add = (path, send) =>
    add(path, async (asked, reply) => {
      const { signal } = asked
      const endTurn = await queue.enter({ signal })
      if (signal.aborted) endTurn()
      else signal.addEventListener('abort', endTurn, { once: true })
      return send(asked, reply)
    })

  addExtract('/extract/gop', async ({ streamPath, params, signal }, reply) => {
    const atMs = targetTimeOf(params)
    // Throws unless there is a recording at the time itself.
    await openRecording(ctx, { streamPath, startMs: atMs, endMs: atMs + 1 }, signal)
    const recording = await openRecording(ctx, { streamPath, startMs: atMs, endMs: atMs + MAX_GOP_MS }, signal)
    const gop = await gopAsMp4(recording)
    const body = extractBody(piecesOf(gop), ctx.config.subscribe.stalltimeout)
    return reply.type('video/mp4').header('content-length', gop.length).send(body)
  })

  addExtract('/extract/compressed', async ({ streamPath, params, signal }, reply) => {
    const { start = '', end = '' } = params
    if (start === '') throw new InvalidRequest('start must be given')
    const range = parseTimeRange({ start, ...(end !== '' && { end }) }, Date.now())
    const lapse = timeLapseOf(params)
    const recording = await openRecording(ctx, { streamPath, ...range }, signal)
    return reply
      .type('video/mp4')
      .send(extractBody(timeLapseAsMp4(recording, lapse), ctx.config.subscribe.stalltimeout))
  })
}

/**
 * Admits a request by the gates for players of the stream. It is a session for as long as the answer takes.
 * @throws {InvalidRequest} when the path is invalid
 * @throws {StreamDenied} when a gate denies it
 */
async function admitted(ctx: PluginContext<unknown>, request: FastifyRequest, reply: FastifyReply): Promise<Asked> {
  const streamPath = checkStreamPath((request.params as Params)['*'] ?? '')
  const url = requestUrl(request.raw)
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  // The signal also closes the files, when all is sent.
  const leaving = new AbortController()
  const { signal } = leaving
  let play: PlayAdmission | undefined
  reply.raw.once('close', () => {
    leaving.abort(new StreamUnavailable(CLIENT_LEFT.text))
    play?.close('sent')
  })
  play = await ctx.streams.admit({ streamPath, url, query, client: requestClient(request.raw), signal })
  play.onClose(() => leaving.abort(new StreamUnavailable('the session was closed')))
  return { streamPath: play.streamPath, params: parseQuery(query), signal }
}

/**
 * Parses the time as milliseconds since the Unix epoch.
 * @throws {InvalidRequest} when it is missing or malformed
 */
function targetTimeOf({ targetTime = '' }: Params): number {
  if (targetTime === '') throw new InvalidRequest('targetTime must be given')
  return parseTime('targetTime', targetTime, Date.now())
}

/** @throws {InvalidRequest} */
function timeLapseOf({ gopSeconds = '', gopInterval = '' }: Params): TimeLapse {
  const seconds = Number(gopSeconds || 1)
  const interval = Number(gopInterval || 1)
  if (!(seconds > 0 && seconds <= MAX_PART_SECONDS)) {
    throw new InvalidRequest(`gopSeconds must be more than 0, and at most ${MAX_PART_SECONDS}`)
  }
  if (!Number.isInteger(interval) || interval < 1 || interval > MAX_INTERVAL) {
    throw new InvalidRequest(`gopInterval must be a whole number from 1 to ${MAX_INTERVAL}`)
  }
  return { partMs: seconds * 1000, interval }
}
