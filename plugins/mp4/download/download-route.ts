import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CLIENT_LEFT,
  InvalidRequest,
  parseTimeRange,
  StreamNotFound,
  StreamUnavailable,
  type PlayAdmission,
  type PluginContext,
  type RecordedFile,
  type Recordings,
  type TimeRange,
} from 'sluice/sdk'
import { requestClient, requestUrl, sendRanged } from 'sluice/sdk/http'
import { prepareFmp4, prepareMp4, type Download } from './download.ts'
import type { DownloadSource } from './download-source.ts'
import { PreparedDownloads } from './prepared-downloads.ts'
import { recordedParts, type RecordedPart } from './recorded-parts.ts'

const TYPE = 'mp4'
const ENDING = /\.(?<ending>mp4|fmp4)$/iu
const ID = /^[1-9]\d{0,9}$/u
/** The largest id that the column can store. */
const MAX_ID = 2 ** 31 - 1
/** A file that is being written grows, and the permission to read it can change. */
const CACHING = 'private, no-cache'

/** The request: one file, or the files of a time range as one. */
type Wanted = {
  readonly streamPath: string
  readonly isFragmented: boolean
  readonly id: number | undefined
  readonly range: TimeRange
}

/** `GET /mp4/download/{sp}[.mp4|.fmp4]` (api.md 6): recordings as a file, for clients that may play the stream. */
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
  const { signal } = leaving
  let admitted: PlayAdmission | undefined
  reply.raw.once('close', () => {
    leaving.abort(new StreamUnavailable(CLIENT_LEFT.text))
    admitted?.close()
  })
  const wanted = wantedBy(request)
  const url = requestUrl(request.raw)
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const { streamPath } = wanted
  admitted = await ctx.streams.admit({ streamPath, url, query, client: requestClient(request.raw), signal })
  try {
    // The control server may have replaced the path.
    return await send(ctx, prepared, { ...wanted, streamPath: admitted.streamPath }, reply, signal)
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
  signal: AbortSignal,
): Promise<FastifyReply> {
  const recordings = ctx.services.get('recordings')
  if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
  const { id } = wanted
  const parts = await partsOf(recordings, wanted)
  const [first] = parts
  if (first === undefined) throw new StreamNotFound('nothing was recorded that is asked for')
  const remoteUrl = id === undefined ? undefined : await recordings.remoteUrl(first.file)
  // The address is valid for GET only.
  if (remoteUrl !== undefined && reply.request.method !== 'HEAD') return reply.redirect(remoteUrl, 302)
  // A file in remote storage is served unchanged.
  const isFragmented = wanted.isFragmented || remoteUrl !== undefined
  // A file that is being written changes with each piece of it.
  const what = parts.map(({ file, fromMs, toMs }) => [file.id, file.sizeBytes, fromMs, toMs])
  const sources = parts.map((part) => sourceOf(recordings, part))
  const download = await prepared.get(JSON.stringify([isFragmented, what]), signal, (ending) =>
    prepare(ctx, isFragmented, sources, AbortSignal.any([ctx.signal, ending])),
  )
  reply.header('cache-control', CACHING)
  return sendRanged(reply, download.file, { fileName: fileNameOf(wanted, parts) })
}

async function prepare(
  ctx: PluginContext<unknown>,
  isFragmented: boolean,
  sources: readonly DownloadSource[],
  signal: AbortSignal,
): Promise<Download> {
  try {
    const download = await (isFragmented ? prepareFmp4 : prepareMp4)(sources, signal)
    for (const { reason } of download.leftOut)
      ctx.log.warn({ reason: reason.message }, 'a download goes without a file')
    return download
  } catch (error) {
    if (error instanceof StreamUnavailable && error.cause instanceof Error)
      ctx.log.warn({ reason: error.cause.message }, 'a download cannot be prepared')
    throw error
  }
}

/** @throws {InvalidRequest} for a malformed id or time */
function wantedBy(request: FastifyRequest): Wanted {
  const { '*': path = '' } = request.params as { readonly '*'?: string }
  const { id, range, start, end } = request.query as Readonly<Record<string, string | string[] | undefined>>
  if ([id, range, start, end].some((value) => Array.isArray(value))) throw new InvalidRequest('a field is given twice')
  if (id !== undefined && !(ID.test(String(id)) && Number(id) <= MAX_ID))
    throw new InvalidRequest('id must be that of a recording')
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

async function partsOf(
  recordings: Recordings,
  { streamPath, id, range }: Wanted,
): Promise<RecordedPart<RecordedFile>[]> {
  if (id === undefined) return recordedParts(await recordings.find({ type: TYPE, streamPath, ...range }), range)
  const { files } = await recordings.list({ type: TYPE, streamPath, ids: [id] }, { limit: 1, offset: 0 })
  return files.map((file) => ({ file }))
}

function sourceOf(recordings: Recordings, { file, ...cut }: RecordedPart<RecordedFile>): DownloadSource {
  return { open: () => recordings.openBytes(file), startMs: file.startMs, ...cut }
}

/** The name of the download: `{sp}_{id}.mp4`, or `{sp}_{from}_{to}.mp4`, in Unix seconds. */
function fileNameOf({ streamPath, id, range }: Wanted, parts: readonly RecordedPart<RecordedFile>[]): string {
  const seconds = (ms: number) => Math.floor(ms / 1000)
  const fromMs = range.startMs ?? parts[0]?.file.startMs ?? 0
  const lastMs = parts.at(-1)?.file.endMs ?? 0
  const toMs = Math.min(range.endMs ?? lastMs, lastMs)
  const what = id === undefined ? `${seconds(fromMs)}_${seconds(toMs)}` : String(id)
  return `${streamPath.replaceAll('/', '_')}_${what}.mp4`
}
