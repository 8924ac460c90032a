import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseQuery, parseTimeRange, type InheritedConfig, type PluginContext, type Recording } from 'sluice/sdk'
import {
  attachmentDisposition,
  carrierOf,
  decodePathPart,
  requestClient,
  requestUrl,
  sendRecording,
} from 'sluice/sdk/http'
import { flvFileFormat } from './file-format.ts'

const PREFIX = '/download/'
const ENDING = /\.flv$/iu

/**
 * Answers `GET /flv/download/{streamPath}?start&end` (api.md 9): the recordings of that time, in files of any type, as one FLV. It begins
 * with a keyframe, at time 0. The client passes all gates, as for a play, and has a session until the end.
 */
export function serveDownloads(ctx: PluginContext<Pick<InheritedConfig, 'subscribe'>>): void {
  ctx.http.route({
    method: ['GET', 'HEAD'],
    url: `${PREFIX}*`,
    config: { access: 'public' },
    handler: (request, reply) => download(ctx, request, reply),
  })
}

async function download(
  ctx: PluginContext<Pick<InheritedConfig, 'subscribe'>>,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { url = '' } = raw
  const queryAt = url.indexOf('?')
  const path = queryAt < 0 ? url : url.slice(0, queryAt)
  const query = queryAt < 0 ? '' : url.slice(queryAt + 1)
  const asked = path.slice(PREFIX.length).split('/').map(decodePathPart).join('/').replace(ENDING, '')
  const { type, ...times } = parseQuery(query)
  const wanted = { ...(type !== undefined && { type }), ...parseTimeRange(times, Date.now()) }
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const carrier = carrierOf(raw).once('close', leave)
  const init = { streamPath: asked, url: requestUrl(raw), query, client: requestClient(raw), signal: leaving.signal }
  try {
    const play = await ctx.streams.admit(init)
    play.onClose(leave)
    reply.raw.once('close', () => play.close('sent'))
    const { streamPath } = play
    return await sendRecording(
      ctx,
      reply,
      { streamPath, ...wanted },
      {
        format: ({ durationMs }) => flvFileFormat(durationMs),
        times: 'from-zero',
        headers: (recording) => ({
          'content-type': 'video/x-flv',
          'cache-control': 'no-store',
          'content-disposition': attachmentDisposition(fileNameOf(asked, recording)),
        }),
        stallMs: ctx.config.subscribe.stalltimeout,
        signal: leaving.signal,
      },
    )
  } finally {
    carrier.off('close', leave)
  }
}

/** The stream's name, and from when to when it is. */
function fileNameOf(streamPath: string, { dates, durationMs }: Recording): string {
  const times = dates === undefined ? [] : [dates.dateOf(0), dates.dateOf(durationMs)]
  const stamps = times.map((ms) => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/gu, ''))
  return `${[streamPath.replaceAll('/', '_'), ...stamps].join('_')}.flv`
}
