import type { Sink } from 'sluice/sdk'

/** The bounds of one viewer; see `subscribe.queuesize`, `queuetime`, `stalltimeout` and `submode`. */
export type ViewerLimits = {
  readonly queueBytes: number
  readonly queueMs: number
  readonly stallMs: number
  /** When too far behind: skip to a keyframe, or else be closed. */
  readonly skips: boolean
}

/**
 * What a viewer is up to: about to get what is kept, waiting for its first start point, taking everything, or waiting to
 * take up again at a start point.
 */
export type ViewerState = 'joining' | 'starting' | 'live' | 'skipping'

/** One sink of a shared muxer, its bounds and its counters. */
export class Viewer {
  readonly sink: Sink
  readonly limits: ViewerLimits
  readonly #close: (reason: string) => void
  state: ViewerState = 'starting'
  /** It asked for a break: it is sent nothing, and goes on at a start point. */
  paused = false
  /** The version of the muxer's configuration that it was sent last. */
  configVersion = -1
  /** How far back it starts, in milliseconds; undefined to wait for the next start point. */
  readonly startBackMs: number | undefined
  /** Units it was not sent, and how often it stopped taking them. */
  dropped = 0
  skips = 0
  sentBytes = 0
  lastTimeMs = 0
  #drainedTimeMs = 0
  #burstBytes = 0
  #drainedBytes = 0
  #progressMs: number

  constructor(
    sink: Sink,
    limits: ViewerLimits,
    startBackMs: number | undefined,
    nowMs: number,
    close: (reason: string) => void,
  ) {
    this.sink = sink
    this.limits = limits
    this.startBackMs = startBackMs
    this.#progressMs = nowMs
    this.#close = close
  }

  write(bytes: Buffer, timeMs: number): void {
    this.sink.write(bytes)
    this.sentBytes += bytes.length
    this.lastTimeMs = timeMs
  }

  /** Writes what was kept for joiners; it may pass the queue's bound, until the queue has drained once. */
  writeBurst(bytes: Buffer, timeMs: number): void {
    this.write(bytes, timeMs)
    this.#burstBytes = bytes.length
    this.#drainedTimeMs = timeMs
  }

  /** Whether it may take a further batch; when not, it stops at this point. A single batch always fits an empty queue. */
  accepts(sizeBytes: number, timeMs: number, units: number): boolean {
    if (this.paused) {
      this.state = 'skipping'
      return false
    }
    const queued = this.sink.queuedBytes
    if (queued === 0) {
      this.#drainedTimeMs = timeMs
      this.#burstBytes = 0
      return true
    }
    const { queueBytes, queueMs, skips } = this.limits
    if (queued + sizeBytes <= queueBytes + this.#burstBytes && timeMs - this.#drainedTimeMs <= queueMs) return true
    if (!skips) {
      this.#close('slow')
      return false
    }
    this.state = 'skipping'
    this.skips++
    this.dropped += units
    return false
  }

  /** Closes it when it has bytes queued and has taken none for the stall time. */
  checkStall(nowMs: number): void {
    if (this.paused) return
    const queued = this.sink.queuedBytes
    const drained = this.sentBytes - queued
    if (queued === 0 || drained !== this.#drainedBytes) {
      this.#drainedBytes = drained
      this.#progressMs = nowMs
    } else if (nowMs - this.#progressMs >= this.limits.stallMs) {
      this.#close('slow')
    }
  }
}
