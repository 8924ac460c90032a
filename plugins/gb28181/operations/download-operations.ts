import { Int64, InvalidRequest, parseTimeRange, StreamNotFound, TIME_RANGE, Type, type Recordings } from 'sluice/sdk'
import { pathOf, type Download } from '../download/downloads.ts'
import { DownloadUnknown } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { ONE_CHANNEL, targetOf, type AddOperation } from './requests.ts'

const RECORDING_TYPE = 'mp4'
const ID = /^[A-Za-z\d-]{1,32}_[A-Za-z\d-]{1,32}_\d{1,11}_\d{1,11}$/u
/** The code of an answer that a download goes on already. */
const GOES_ON = 200

/** `DownloadProgress` of the API (api.md 7.3). */
const ProgressAnswer = Type.Object({
  downloadId: Type.String(),
  status: Type.String({ description: 'pending, downloading, completed or failed' }),
  progress: Type.Integer({ description: 'Percent' }),
  filePath: Type.String(),
  error: Type.String(),
  downloadedBytes: Int64(),
  totalBytes: Int64(),
  startedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  completedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  downloadUrl: Type.String({ description: 'Where the file is, once it is whole' }),
})

/** Adds the operations that fetch recordings of devices into those of the server (api.md 7, 7.2). */
export function addDownloadOperations(add: AddOperation, platform: Platform): void {
  const { downloads, ctx } = platform

  add({
    method: 'GET',
    path: 'api/download/{deviceId}/{channelId}',
    summary: 'Download recordings of a device into those of the server; code 200 when that goes on already',
    params: ONE_CHANNEL,
    access: 'admin',
    query: Type.Object({
      ...TIME_RANGE,
      downloadSpeed: Type.Optional(Type.Integer({ description: '1 to 4 times as fast as it was recorded; else 4' })),
    }),
    answer: Type.Object({
      code: Type.Optional(Type.Integer()),
      total: Type.Integer(),
      data: Type.Object({ downloadId: Type.String(), status: Type.String(), downloadUrl: Type.String() }),
    }),
    wire: 'fields',
    handle({ params, query: { downloadSpeed: speed, ...range } }) {
      const { deviceId, channelId } = params
      targetOf(platform, params)
      const { startMs, endMs = Date.now() } = parseTimeRange(range, Date.now())
      if (startMs === undefined) throw new InvalidRequest('start is missing: the time from which to download')
      if (endMs - startMs < 1000) throw new InvalidRequest('the time to download must be a second at least')
      const { download, isRunning } = downloads.start({ deviceId, channelId, startMs, endMs, speed })
      const { id: downloadId, status } = download
      return {
        ...(isRunning && { code: GOES_ON }),
        total: 0,
        data: { downloadId, status, downloadUrl: urlOf(downloadId) },
      }
    },
  })

  add({
    method: 'GET',
    path: 'api/download/progress/{downloadId}',
    summary: 'How far a download is',
    params: Type.Object({ downloadId: Type.String({ pattern: ID.source }) }),
    answer: ProgressAnswer,
    async handle({ params: { downloadId } }) {
      const download = downloads.get(downloadId)
      if (download !== undefined) return progressView(download)
      // One of before a restart has left its recording.
      const file = await fileOf(ctx.services.get('recordings'), downloadId)
      if (file === undefined) throw new DownloadUnknown(downloadId)
      const { filePath, sizeBytes, createdMs } = file
      return {
        downloadId,
        status: 'completed',
        progress: 100,
        filePath,
        downloadedBytes: sizeBytes,
        startedAt: new Date(createdMs).toISOString(),
        downloadUrl: urlOf(downloadId),
      }
    },
  })

  // The gates of recordings decide who gets the file that it leads to.
  const media = { config: { access: 'public' } } as const
  ctx.http.get<{ Querystring: Readonly<Record<string, string>> }>('/download', media, async ({ query }, reply) => {
    const { downloadId: id = '', ...signature } = query
    if (!ID.test(id)) throw new InvalidRequest('downloadId must be that of a download')
    const file = await fileOf(ctx.services.get('recordings'), id)
    if (file === undefined || downloads.get(id)?.status === 'downloading') throw new StreamNotFound()
    const search = new URLSearchParams({ ...signature, id: String(file.id) })
    return reply.redirect(`../mp4/download/${pathOf({ id })}.mp4?${String(search)}`, 302)
  })
}

async function fileOf(recordings: Recordings | undefined, id: string) {
  const filter = { type: RECORDING_TYPE, streamPath: pathOf({ id }) }
  const listed = await recordings?.list(filter, { limit: 1, offset: 0 })
  return listed?.files[0]
}

function urlOf(downloadId: string): string {
  return `/gb28181/download?downloadId=${downloadId}`
}

function progressView(download: Download) {
  const { id, status, progress, filePath, error, downloadedBytes, totalBytes, startedMs, completedMs } = download
  return {
    downloadId: id,
    status,
    progress,
    filePath,
    error,
    downloadedBytes,
    totalBytes,
    startedAt: new Date(startedMs).toISOString(),
    completedAt: completedMs === 0 ? null : new Date(completedMs).toISOString(),
    downloadUrl: status === 'completed' ? urlOf(id) : '',
  }
}
