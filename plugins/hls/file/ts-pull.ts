import type { Logger } from 'pino'
import type { Response } from 'undici'
import {
  FileBytes,
  playRecording,
  type CloseReason,
  type PluginContext,
  type PullEnd,
  type PullRequest,
  type RecordingBytes,
} from 'sluice/sdk'
import { HttpBytes, SourceRequests } from 'sluice/sdk/http'
import { TsDemuxer } from 'sluice/sdk/media'
import { TsRecording } from './ts-recording.ts'

/** Of the counters of MPEG-TS. */
const TIMESTAMP_BITS = 33

type TsPullOptions = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'publish'>
  readonly log: Logger
  readonly request: PullRequest
}

/** Whether an address or a file is an MPEG-TS by itself, and no playlist. */
export function isTs({ url, file }: Pick<PullRequest, 'url' | 'file'>): boolean {
  return /\.ts$/iu.test(file ?? URL.parse(url)?.pathname ?? '')
}

/** Plays an MPEG-TS: a file, on disk or on a server, or a live one by HTTP. See `PullService.pull`. */
export async function pullTs(options: TsPullOptions): Promise<PullEnd> {
  const { request } = options
  const stop = new AbortController()
  try {
    const opened = await openSource(request, AbortSignal.any([request.signal, stop.signal]))
    if (!('sizeBytes' in opened)) return await takeLive(options, opened)
    try {
      return await playFile(options, await TsRecording.open(opened))
    } finally {
      await opened.close()
    }
  } finally {
    stop.abort()
  }
}

/** A file, or the answer of a server that gives no parts of one. */
function openSource(request: PullRequest, signal: AbortSignal): Promise<RecordingBytes | Response> {
  return request.file === undefined ? HttpBytes.open(new SourceRequests(request, signal)) : FileBytes.open(request.file)
}

async function playFile({ streams, log, request }: TsPullOptions, recording: TsRecording): Promise<PullEnd> {
  const { unsupported } = recording
  if (unsupported.length > 0) log.warn({ unsupported }, "the file has streams that can't be carried")
  const end = await playRecording(streams, request, recording)
  if (recording.dropped > 0) log.warn({ dropped: recording.dropped }, 'units of the file were left out')
  return end
}

/** Publishes what comes as it comes: a live source has no end that it tells of. */
async function takeLive({ streams, request }: TsPullOptions, response: Response): Promise<PullEnd> {
  const reader = response.body?.getReader()
  const stop = () => void reader?.cancel().catch(() => {})
  if (response.headers.has('content-length')) {
    stop()
    throw new Error('the server gives no parts of files (Range requests), which playing a file needs')
  }
  const { session, options, signal } = request
  const publisher = await streams.publish(session, { ...options, timestampBits: TIMESTAMP_BITS })
  let closed: CloseReason | undefined
  publisher.onClose((reason) => {
    closed = reason
    stop()
  })
  try {
    const demuxer = new TsDemuxer(publisher)
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
      const { buffer, byteOffset, byteLength }: Uint8Array = piece.value
      demuxer.push(Buffer.from(buffer, byteOffset, byteLength))
    }
    signal.throwIfAborted()
    if (closed === undefined) throw new Error('the source broke off')
    return { by: 'server', reason: closed }
  } catch (error) {
    if (closed === undefined || signal.aborted) throw error
    return { by: 'server', reason: closed }
  } finally {
    stop()
    publisher.close('the pull has ended')
  }
}
