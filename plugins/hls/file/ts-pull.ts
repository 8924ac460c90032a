import type { Logger } from 'pino'
import type { Response } from 'undici'
import {
  FileBytes,
  playRecording,
  publishSource,
  type PluginContext,
  type PullEnd,
  type PullRequest,
  type RecordingBytes,
} from 'sluice/sdk'
import { HttpBytes, SourceRequests } from 'sluice/sdk/http'
import { LiveTs } from './live-ts.ts'
import { TsRecording } from './ts-recording.ts'

type TsPullOptions = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'publish'>
  readonly log: Logger
  readonly request: PullRequest
}

/** True when the address or file is an MPEG-TS itself, and not a playlist. */
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

/** Opens a file, or the answer of a server that serves no byte ranges. */
function openSource(request: PullRequest, signal: AbortSignal): Promise<RecordingBytes | Response> {
  return request.file === undefined
    ? HttpBytes.open(new SourceRequests(request, signal))
    : FileBytes.open(request.file, signal)
}

async function playFile({ streams, log, request }: TsPullOptions, recording: TsRecording): Promise<PullEnd> {
  const { unsupported } = recording
  if (unsupported.length > 0) log.warn({ unsupported }, "the file has streams that can't be carried")
  const end = await playRecording(streams, request, recording)
  if (recording.dropped > 0) log.warn({ dropped: recording.dropped }, 'units of the file were left out')
  return end
}

/** Publishes a live source, which announces no length, as it comes. */
async function takeLive({ streams, log, request }: TsPullOptions, response: Response): Promise<PullEnd> {
  if (response.headers.has('content-length')) {
    await response.body?.cancel()
    throw new Error('the server gives no parts of files (Range requests), which playing a file needs')
  }
  if (response.body === null) throw new Error('the server sent an empty answer')
  const source = await LiveTs.open(response.body, log)
  return publishSource(streams, request, source.options, (publisher) => source.play(publisher))
}
