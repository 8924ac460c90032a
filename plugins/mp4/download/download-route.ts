import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  InvalidRequest,
  parseTimeRange,
  StreamNotFound,
  StreamUnavailable,
  type PluginContext,
  type RecordedFile,
  type Recordings,
} from 'sluice/sdk'
import { requestClient, requestUrl, sendRanged } from 'sluice/sdk/http'
import { prepareFmp4, prepareMp4, type Download } from './download.ts'
import type { DownloadSource } from './download-source.ts'
import { PreparedDownloads } from './prepared-downloads.ts'

const TYPE = 'mp4'
const ENDING = /\.(?<ending>mp4|fmp4)$/iu
const ID = /^[1-9]\d{0,9}$/u

/** What is to be had: one file, or those of a time as one. */
type Wanted = {
  readonly streamPath: string
  readonly isFragmented: boolean
  readonly id: number | undefined
  readonly range: { readonly startMs: number | undefined; readonly endMs: number }
}

/** `GET /mp4/download/{sp}[.mp4|.fmp4]` (api.md 6): recordings as a file, for those who may play the stream. */
export function addDownloadRoute(ctx: PluginContext<unknown>): void {
  const prepared = new PreparedDownloads()
  ctx.http.route({
    method: ['GET', 'HEAD'],
    url: '/download/*',
    config: { access: 'public' },
    handler: (request, reply) => answer(ctx, prepared, request, reply),
  })
}

async function answer(
  ctx: PluginContext<unknown>,
  prepared: PreparedDownloads,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort())
  const wanted = wantedBy(request)
  const session = {
    ...{ streamPath: wanted.streamPath, url: requestUrl(request.raw), query: request.url.split('?')[1] ?? '' },
    ...{ client: requestClient(request.raw), signal: leaving.signal },
  }
  // The path is the one that the control server may have put in its place.
  const admitted = await ctx.streams.admit(session)
  reply.raw.once('close', () => admitted.close())
  try {
    return await send(ctx, prepared, { ...wanted, streamPath: admitted.streamPath }, reply)
  } catch (error) {
    admitted.close()
    throw error
  }
}

async function send(
  ctx: PluginContext<unknown>,
  prepared: PreparedDownloads,
  wanted: Wanted,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const recordings = ctx.services.get('recordings')
  if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
  const { id, isFragmented, range } = wanted
  const files = await filesOf(recordings, wanted)
  const [file] = files
  if (file === undefined) throw new StreamNotFound('nothing was recorded that is asked for')
  const remoteUrl = id === undefined ? undefined : await recordings.remoteUrl(file)
  if (remoteUrl !== undefined) return reply.redirect(remoteUrl, 302)
  const sources = files.map((recorded) => sourceOf(recordings, recorded, id === undefined ? range : undefined))
  // A file that is being written is another one with each piece of it.
  const name = JSON.stringify([isFragmented, range, files.map((recorded) => [recorded.id, recorded.sizeBytes])])
  const download = await prepared.get(name, () => prepare(ctx, isFragmented, sources))
  return sendRanged(reply, download.file, { fileName: fileNameOf(wanted, files) })
}

async function prepare(
  ctx: PluginContext<unknown>,
  isFragmented: boolean,
  sources: readonly DownloadSource[],
): Promise<Download> {
  const download = await (isFragmented ? prepareFmp4 : prepareMp4)(sources, ctx.signal)
  for (const { reason } of download.leftOut) ctx.log.warn({ reason: reason.message }, 'a download goes without a file')
  return download
}

/** @throws {InvalidRequest} for what is no id and no time */
function wantedBy(request: FastifyRequest): Wanted {
  const { '*': path = '' } = request.params as { readonly '*'?: string }
  const { id, range, start, end } = request.query as Readonly<Record<string, string | string[] | undefined>>
  if ([id, range, start, end].some((value) => Array.isArray(value))) throw new InvalidRequest('a field is given twice')
  if (id !== undefined && !ID.test(String(id))) throw new InvalidRequest('id must be that of a recording')
  if (id === undefined && !range && !start && !end) throw new InvalidRequest('name the id of a recording, or a time')
  return {
    streamPath: path.replace(ENDING, ''),
    isFragmented: ENDING.exec(path)?.groups?.['ending']?.toLowerCase() === 'fmp4',
    id: id === undefined ? undefined : Number(id),
    range: parseTimeRange(
      { range: String(range ?? ''), start: String(start ?? ''), end: String(end ?? '') },
      Date.now(),
    ),
  }
}

async function filesOf(recordings: Recordings, { streamPath, id, range }: Wanted): Promise<RecordedFile[]> {
  if (id === undefined) return recordings.find({ type: TYPE, streamPath, ...range })
  return (await recordings.list({ type: TYPE, streamPath, ids: [id] }, { limit: 1, offset: 0 })).files
}

function sourceOf(recordings: Recordings, file: RecordedFile, range: Wanted['range'] | undefined): DownloadSource {
  const { startMs, endMs } = file
  const isCutBefore = range?.startMs !== undefined && range.startMs > startMs
  const isCutAfter = range !== undefined && range.endMs < endMs
  return {
    open: () => recordings.openBytes(file),
    startMs,
    ...(isCutBefore && { fromMs: (range.startMs ?? 0) - startMs }),
    ...(isCutAfter && { toMs: range.endMs - startMs }),
  }
}

/** As `{sp}_{id}.mp4`, or `{sp}_{from}_{to}.mp4`, in Unix seconds. */
function fileNameOf({ streamPath, id, range }: Wanted, files: readonly RecordedFile[]): string {
  const seconds = (ms: number) => Math.floor(ms / 1000)
  const fromMs = range.startMs ?? files[0]?.startMs ?? 0
  const toMs = Math.min(range.endMs, files.at(-1)?.endMs ?? range.endMs)
  const what = id === undefined ? `${seconds(fromMs)}_${seconds(toMs)}` : String(id)
  return `${streamPath.replaceAll('/', '_')}_${what}.mp4`
}
