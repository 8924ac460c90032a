import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { StreamUnavailable } from '../errors/stream-errors.ts'
import type { MuxerFormat } from '../media/muxer.ts'
import { muxRecording } from '../playback/mux-recording.ts'
import type { Recording } from '../playback/recording.ts'
import type { PluginContext } from '../plugin/context.ts'
import type { PlaybackInit } from '../recording/recordings.ts'
import { carrierOf } from './request.ts'

/** The options of an answer with recordings. */
export type RecordingAnswer = {
  /** The format for what was recorded. */
  readonly format: MuxerFormat | ((recording: Recording) => MuxerFormat)
  /** `from-zero`, or `dates`: those of the recording, in milliseconds since the Unix epoch. */
  readonly times: 'from-zero' | 'dates'
  readonly headers: (recording: Recording) => Readonly<Record<string, string>>
  /** A client that takes nothing for so long is cut off; 0 is never. */
  readonly stallMs: number
  /** Ends the answer before its time. */
  readonly signal?: AbortSignal
}

/**
 * Answers `GET` and `HEAD` with recordings of a stream as one file, which is made while the client takes it. Nothing is read ahead;
 * when the client leaves, the recordings are closed. The promise is over when the answer has begun.
 * @throws {StreamNotFound} nothing was recorded in this time
 * @throws {StoreUnavailable} there is no database
 * @throws {StreamUnavailable} the server records nothing
 * @throws {Unsupported} the format has no place for what was recorded
 */
export async function sendRecording(
  { services }: Pick<PluginContext<unknown>, 'services'>,
  reply: FastifyReply,
  wanted: PlaybackInit,
  answer: RecordingAnswer,
): Promise<FastifyReply> {
  const recordings = services.get('recordings')
  if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
  const stop = new AbortController()
  try {
    const recording = await recordings.open(wanted, stop.signal)
    const { format, times } = answer
    const offsetMs = times === 'dates' ? (recording.dates?.dateOf(0) ?? 0) : 0
    const bytes = muxRecording(recording, typeof format === 'function' ? format(recording) : format, offsetMs)
    reply.headers(answer.headers(recording))
    if (reply.request.method === 'HEAD') {
      stop.abort()
      return reply.send()
    }
    return reply.send(bodyOf(reply, bytes, stop, answer))
  } catch (error) {
    stop.abort()
    throw error
  }
}

/** The bytes as a body, which ends with the client. */
function bodyOf(
  reply: FastifyReply,
  bytes: AsyncGenerator<Buffer, void>,
  stop: AbortController,
  { stallMs, signal }: RecordingAnswer,
): Readable {
  const carrier = carrierOf(reply.request.raw)
  const body = Readable.from(bytes, { highWaterMark: 1 })
  const end = () => {
    carrier.off('close', end)
    signal?.removeEventListener('abort', end)
    stop.abort()
    body.destroy()
  }
  carrier.once('close', end)
  signal?.addEventListener('abort', end)
  body.once('close', end)
  if (stallMs > 0) reply.raw.setTimeout(stallMs, () => carrier.destroy())
  if (carrier.destroyed || signal?.aborted === true) end()
  return body
}
