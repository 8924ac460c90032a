import type { CloseReason } from 'sluice/sdk'
import type { Stream } from './stream.ts'

/** How often the time limits of publishers and viewers are looked at. */
export const PULSE_MS = 500

/** Ends what has passed its time limits, and samples the rates. `nowMs` is the monotonic clock. */
export function pulse(streams: Iterable<Stream>, nowMs: number): void {
  for (const stream of streams) {
    for (const muxer of stream.muxers) muxer.checkStalls(nowMs)
    const { publisher } = stream
    if (publisher === undefined) continue
    for (const meter of publisher.meters) meter.sample(nowMs)
    const reason = overdue(stream, nowMs)
    if (reason !== undefined) publisher.close(reason)
  }
}

function overdue(stream: Stream, nowMs: number): CloseReason | undefined {
  const { publisher } = stream
  if (publisher === undefined) return undefined
  const { publishtimeout, delayclosetimeout, idletimeout } = publisher.config
  if (publishtimeout > 0 && nowMs - publisher.lastWriteMs >= publishtimeout) {
    return { code: 'timeout', text: 'publish timeout' }
  }
  if (stream.subscribers.size > 0) return undefined
  const { hadSubscriber } = stream
  const limitMs = hadSubscriber ? delayclosetimeout : idletimeout
  if (limitMs === 0 || nowMs - stream.idleSinceMs < limitMs) return undefined
  return { code: 'idle', text: hadSubscriber ? 'publish delay close timeout' : 'publish idle timeout' }
}
