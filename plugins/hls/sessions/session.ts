import type { Subscriber } from 'sluice/sdk'
import type { HlsStream } from '../hls-stream.ts'

export type SessionOptions = {
  readonly token: string
  /** The token of the session that it goes on from, which players may go on to ask for. */
  readonly formerToken: string | undefined
  /** The path that was asked for; a gate may have led it to another. */
  readonly requestedPath: string
  readonly hlsStream: HlsStream
  readonly subscriber: Subscriber
  readonly nowMs: number
}

/** A viewer has left when it has asked for nothing for so many target durations. */
const IDLE_TARGETS = 2
/** Short target durations are no reason to take a player that its network holds up for one that has left. */
const MIN_IDLE_MS = 4000

/** One viewer: a subscriber that comes back for each playlist. */
export class Session {
  readonly token: string
  readonly formerToken: string | undefined
  readonly requestedPath: string
  readonly hlsStream: HlsStream
  readonly subscriber: Subscriber
  /** Its requests that wait for something to be made. */
  waitingCount = 0
  /** Its stream has gone, and nobody came back in time. */
  over = false
  #lastRequestMs: number

  constructor({ token, formerToken, requestedPath, hlsStream, subscriber, nowMs }: SessionOptions) {
    this.token = token
    this.formerToken = formerToken
    this.requestedPath = requestedPath
    this.hlsStream = hlsStream
    this.subscriber = subscriber
    this.#lastRequestMs = nowMs
  }

  touch(nowMs: number): void {
    this.#lastRequestMs = nowMs
  }

  isIdle(nowMs: number): boolean {
    const idleMs = Math.max(IDLE_TARGETS * this.hlsStream.targetMs, MIN_IDLE_MS)
    return this.waitingCount === 0 && nowMs - this.#lastRequestMs > idleMs
  }
}
