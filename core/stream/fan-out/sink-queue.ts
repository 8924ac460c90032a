import type { CloseReason, Sink, SubscribeConfig } from 'sluice/sdk'
import { framingOf, type Framing } from './framing.ts'

const SLOW: CloseReason = { code: 'slow', text: 'slow' }

/** The bounds of one sink; see `subscribe.queuesize`, `queuetime`, `stalltimeout` and `submode`. */
export type QueueLimits = {
  readonly queueBytes: number
  readonly queueMs: number
  /** How long it may take nothing of what is queued; 0 is for ever. */
  readonly stallMs: number
  /** Whether it skips to a keyframe when it is too far behind; otherwise it is closed. */
  readonly skips: boolean
}

/** The bounds by the config of a subscriber. */
export function limitsOf(config: Readonly<SubscribeConfig>): QueueLimits {
  const { queuesize, queuetime, stalltimeout, submode, buffertime } = config
  const skips = submode !== 1 && submode !== 2 && buffertime === 0
  return { queueBytes: queuesize, queueMs: queuetime, stallMs: stalltimeout, skips }
}

/**
 * The state of a sink: about to get what is kept, waiting for a start point, taking everything, or waiting to take up
 * again at a start point once its queue has drained.
 */
export type QueueState = 'joining' | 'starting' | 'live' | 'skipping'

/** The subscriber that a sink belongs to. */
export interface QueueOwner {
  close(reason: CloseReason): void
  /** Logs what went wrong and closes the subscriber, unless it is closed. */
  fail(what: string, error: unknown): void
}

/** One sink of a shared muxer, with its bounds, state and counters. One that throws fails its owner, and nobody else. */
export class SinkQueue {
  readonly limits: QueueLimits
  state: QueueState = 'starting'
  /** True while its subscriber has paused: it is sent nothing, and goes on at a start point. */
  paused = false
  /** The version of the muxer's configuration that it was sent last. */
  configVersion = -1
  /** How far back it starts, in milliseconds; undefined to wait for the next start point. */
  readonly startBackMs: number | undefined
  /** How many units it was not sent. */
  dropped = 0
  /** How many times it fell behind. */
  skips = 0
  sentBytes = 0
  lastTimeMs = 0
  readonly #sink: Sink
  readonly #framing: Framing | undefined
  readonly #owner: QueueOwner
  // Where in its bytes the replay of a joiner ends; its queue's bounds count from there.
  #replayEnd = 0
  // A batch that was queued, by where it ends; when it has left, the one sent then takes its place.
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

  /** Whether it was sent anything. */
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

  /** It goes on with another muxer, at a start point. */
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

  /** What was written last was a joiner's replay: it may pass the queue's bounds. */
  endReplay(): void {
    this.#replayEnd = this.sentBytes
  }

  /** Whether its bounds let it take a further batch. A single batch always fits an empty queue. */
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

  /** It can't take a batch of so many units: it skips to a start point, or is closed where it must not skip. */
  fallBehind(units: number): void {
    this.dropped += units
    if (!this.limits.skips) return this.close(SLOW)
    this.state = 'skipping'
    this.skips++
  }

  /**
   * Closes it when it has bytes queued and has taken none for the stall time. Its queue may hold other bytes as well, an
   * answer to a ping for example: that they grow in number is no progress.
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
