import { performance } from 'node:perf_hooks'
import type { CloseReason } from 'sluice/sdk'
import type { Load, MergeWindow } from './fan-out/merge-window.ts'
import type { Stream } from './stream.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import type { Throughput } from './throughput.ts'

/** The interval at which the time limits of publishers and sinks are checked. */
export const PULSE_MS = 500
/** The number of checks for each sum of received and sent bytes. */
const CHECKS_PER_GATHERING = 2

/**
 * Checks the streams at regular times. After a long turn of the event loop its timers run before its sockets are read, so
 * each check comes a little later than the time it is for, when all bytes have been read that had come by then: a publisher
 * whose media was still in its socket has not been silent.
 */
export class StreamPulse {
  readonly #streams: () => readonly Stream[]
  readonly #mergeWindow: MergeWindow
  readonly #throughput: Throughput
  readonly #timer = setInterval(() => this.#onInterval(performance.now()), PULSE_MS).unref()
  #check: NodeJS.Immediate | undefined
  #checks = 0

  constructor(streams: () => readonly Stream[], mergeWindow: MergeWindow, throughput: Throughput) {
    this.#streams = streams
    this.#mergeWindow = mergeWindow
    this.#throughput = throughput
  }

  stop(): void {
    clearInterval(this.#timer)
    clearImmediate(this.#check)
  }

  #onInterval(nowMs: number): void {
    clearImmediate(this.#check)
    this.#check = setImmediate(() => {
      const streams = this.#streams()
      pulse(streams, nowMs)
      if (this.#checks++ % CHECKS_PER_GATHERING === 0) {
        gatherTraffic(streams)
        this.#throughput.sample(nowMs)
      }
      this.#mergeWindow.sample(demandOf(streams))
    })
  }
}

/** Ends publishers and sinks that have passed their time limits, and samples the rates. `nowMs` is the monotonic clock. */
export function pulse(streams: Iterable<Stream>, nowMs: number): void {
  for (const stream of streams) {
    stream.fanOut.checkStalls(nowMs)
    const { publisher } = stream
    if (publisher === undefined) continue
    for (const meter of publisher.meters) meter.sample(nowMs)
    publisher.checkArrivals(nowMs)
    const reason = overdue(stream, nowMs)
    if (reason !== undefined) publisher.close(reason)
  }
}

/** Adds up the bytes and units that the sessions of each stream have received and sent since the last time. */
export function gatherTraffic(streams: Iterable<Stream>): void {
  for (const { traffic, subscribers, publisher } of streams) {
    publisher?.gatherTraffic()
    let queuedBytes = 0
    for (const subscriber of subscribers) {
      subscriber.gatherTraffic()
      queuedBytes += subscriber.queuedBytes
    }
    traffic.queuedBytes = queuedBytes
  }
}

function overdue(stream: Stream, nowMs: number): CloseReason | undefined {
  const { publisher } = stream
  if (publisher === undefined) return undefined
  const text = silenceOf(publisher, nowMs)
  if (text !== undefined) return { code: 'timeout', text }
  if (stream.isHeld) return undefined
  const { delayclosetimeout, idletimeout } = publisher.config
  const { hadSubscriber } = stream
  if (!hasPassed(hadSubscriber ? delayclosetimeout : idletimeout, stream.idleSinceMs, nowMs)) return undefined
  return { code: 'idle', text: hadSubscriber ? 'publish delay close timeout' : 'publish idle timeout' }
}

/** The limit that a silent publisher has passed; undefined while it is within all of them. */
function silenceOf(publisher: StreamPublisher, nowMs: number): string | undefined {
  const { publishtimeout, mediatimeout, pausetimeout } = publisher.config
  const { lastWriteMs, lastHeardMs, heldUntilMs, pausedSinceMs } = publisher
  if (pausedSinceMs !== undefined) return hasPassed(pausetimeout, pausedSinceMs, nowMs) ? 'pause timeout' : undefined
  if (nowMs >= heldUntilMs && hasPassed(publishtimeout, lastHeardMs, nowMs)) return 'publish timeout'
  return hasPassed(mediatimeout, lastWriteMs, nowMs) ? 'media timeout' : undefined
}

function hasPassed(limitMs: number, sinceMs: number, nowMs: number): boolean {
  return limitMs > 0 && nowMs - sinceMs >= limitMs
}

/** The number of sinks, and of the writes a second that they ask for. */
function demandOf(streams: Iterable<Stream>): Omit<Load, 'utilization'> {
  let sinks = 0
  let writesPerSecond = 0
  for (const stream of streams) {
    let unitsPerSecond = 0
    for (const meter of stream.publisher?.meters ?? []) unitsPerSecond += meter.fps
    for (const muxer of stream.fanOut.muxers) {
      sinks += muxer.queues.size
      writesPerSecond += muxer.queues.size * unitsPerSecond
    }
  }
  return { sinks, writesPerSecond }
}
