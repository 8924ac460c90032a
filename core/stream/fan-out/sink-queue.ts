import type { CloseReason, Sink, SubscribeConfig } from 'sluice/sdk'
import { framingOf, type Framing } from './framing.ts'

const SLOW: CloseReason = { code: 'slow', text: 'slow' }

/** The bounds of one sink; see `subscribe.queuesize`, `queuetime`, `stalltimeout` and `submode`. */
export type QueueLimits = {
  readonly queueBytes: number
  readonly queueMs: number
  /** The longest time in which the sink may take nothing of its queued bytes; 0 for no limit. */
  readonly stallMs: number
  /** True for a sink that skips to a keyframe when it is too far behind; another one is closed. */
  readonly skips: boolean
}

/** The bounds by the config of a subscriber. */
export function limitsOf(config: Readonly<SubscribeConfig>): QueueLimits {
  const { queuesize, queuetime, stalltimeout, submode, buffertime } = config
  const skips = submode !== 1 && submode !== 2 && buffertime === 0
  return { queueBytes: queuesize, queueMs: queuetime, stallMs: stalltimeout, skips }
}

/**
 * The state of a sink: `joining` is about to get the kept media, `starting` waits for a start point, `live` takes everything,
 * and `skipping` waits to go on at a start point once its queue has drained.
 */
export type QueueState = 'joining' | 'starting' | 'live' | 'skipping'

/** The subscriber that a sink belongs to. */
export interface QueueOwner {
  close(reason: CloseReason): void
  /** Logs the error and closes the subscriber, unless it is closed. */
  fail(what: string, error: unknown): void
}

/** The queue of one sink of a shared muxer, with its bounds, state and counters. A sink that throws fails its owner, and no other sink. */
export class SinkQueue {
  readonly limits: QueueLimits
  state: QueueState = 'starting'
  /** True while its subscriber has paused: the sink gets nothing, and goes on at a start point. */
  paused = false
  /** The version of the muxer's configuration that the sink got last. */
  configVersion = -1
  /** The time before the newest media at which the sink starts, in milliseconds; undefined to wait for the next start point. */
  readonly startBackMs: number | undefined
  /** The number of units that the sink did not get. */
  dropped = 0
  /** The number of times that the sink fell behind. */
  skips = 0
  sentBytes = 0
  lastTimeMs = 0
  readonly #sink: Sink
  readonly #framing: Framing | undefined
  readonly #owner: QueueOwner
  // The end of a joiner's replay in the bytes of the sink; the queue's bounds count from there.
  #replayEnd = 0
  // The end of a queued batch in the bytes of the sink; when it has left, the batch that is then sent takes its place.
  #markEnd = -Infinity
  #markTimeMs = 0
  #stallDrained = 0
  #progressMs: number

  constructor(sink: Sink, limits: QueueLimits, startBackMs: number | undefined, nowMs: number, owner: QueueOwner) {
    this.#sink = sink
    this.#framing = framingOf(sink.frame)
    this.#owner = owner
    this.limits = limits
    this.startBackMs = startBackMs
    this.#progressMs = nowMs
  }

  /** True once the sink was sent something. */
  get begun(): boolean {
    return this.sentBytes > 0
  }

  get queuedBytes(): number {
    try {
      return this.#sink.queuedBytes
    } catch (error) {
      this.fail('a sink failed', error)
      return 0
    }
  }

  close(reason: CloseReason): void {
    this.#owner.close(reason)
  }

  pause(): void {
    this.paused = true
    if (this.state === 'live') this.state = 'starting'
  }

  resume(): void {
    this.paused = false
  }

  /** Notes that the sink goes on with another muxer, at a start point. */
  changeMuxer(): void {
    this.configVersion = -1
    if (this.state !== 'skipping') this.state = 'starting'
  }

  write(bytes: Buffer, timeMs: number): void {
    let framed = bytes
    try {
      if (this.#framing !== undefined) framed = this.#framing.framed(bytes)
      this.#sink.write(framed)
    } catch (error) {
      return this.fail('a sink failed', error)
    }
    this.sentBytes += framed.length
    this.lastTimeMs = timeMs
  }

  /** Marks the bytes up to now as a joiner's replay, which may pass the queue's bounds. */
  endReplay(): void {
    this.#replayEnd = this.sentBytes
  }

  /** Returns true when the bounds let the sink take a further batch. A single batch always fits an empty queue. */
  accepts(sizeBytes: number, timeMs: number): boolean {
    const queued = this.queuedBytes
    const drained = this.sentBytes - queued
    const replayBytes = Math.max(0, this.#replayEnd - drained)
    if (queued === 0 || replayBytes > 0 || drained >= this.#markEnd) {
      this.#markEnd = this.sentBytes + sizeBytes
      this.#markTimeMs = timeMs
      if (queued === 0) return true
    }
    const { queueBytes, queueMs } = this.limits
    return queued + sizeBytes <= queueBytes + replayBytes && timeMs - this.#markTimeMs <= queueMs
  }

  /** Handles a sink that can't take a batch of this number of units: it skips to a start point, or is closed where it must not skip. */
  fallBehind(units: number): void {
    this.dropped += units
    if (!this.limits.skips) return this.close(SLOW)
    this.state = 'skipping'
    this.skips++
  }

  /**
   * Closes the sink when it has bytes queued and has taken none for the stall time. Its queue may hold other bytes as well,
   * an answer to a ping for example: growth of the queue is no progress.
   */
  checkStall(nowMs: number): void {
    const queued = this.queuedBytes
    const drained = this.sentBytes - queued
    if (queued === 0 || drained > this.#stallDrained) {
      this.#stallDrained = drained
      this.#progressMs = nowMs
    } else if (this.limits.stallMs > 0 && nowMs - this.#progressMs >= this.limits.stallMs) {
      this.close(SLOW)
    }
  }

  fail(what: string, error: unknown): void {
    this.#owner.fail(what, error)
  }
}
