import type { PluginContext, Subscriber } from 'sluice/sdk'
import type { HlsStream } from '../hls-stream.ts'
import { Splice, type SpliceOptions } from '../splice/splice.ts'
import type { SequenceNumbers } from '../presentation/sequence-numbers.ts'
import type { PlaylistSource } from './playlist-source.ts'

export type SessionOptions = {
  readonly log: PluginContext<unknown>['log']
  readonly token: string
  /** The token of the former session that it continues, which players may go on to use. */
  readonly formerToken: string | undefined
  /** The path that was requested; a gate may have directed it to another. */
  readonly requestedPath: string
  readonly hlsStream: HlsStream
  readonly hlsStreams: SpliceOptions['hlsStreams']
  readonly subscriber: Subscriber
  /** The numbers to continue with, when the former session had numbers of its own. */
  readonly numbers: SequenceNumbers | undefined
  readonly nowMs: number
}

/** The number of target durations without a request after which a viewer has left. */
const IDLE_TARGETS = 2
/** The shortest time after which a viewer has left, as its network may hold it up. */
const MIN_IDLE_MS = 4000

/** One viewer: a subscriber that requests one playlist after the other. */
export class Session {
  readonly token: string
  readonly formerToken: string | undefined
  readonly requestedPath: string
  /** The stream that it began with, which it shares with others. */
  readonly hlsStream: HlsStream
  readonly subscriber: Subscriber
  /** Its requests that wait for a segment or part. */
  waitingCount = 0
  /** True when its stream has ended and has not come back in time. */
  over = false
  readonly #log: SessionOptions['log']
  readonly #hlsStreams: SpliceOptions['hlsStreams']
  #splice: Splice | undefined
  #released = false
  #lastRequestMs: number

  /** Holds its stream until it is released. */
  constructor(options: SessionOptions) {
    const { log, token, formerToken, requestedPath, hlsStream, hlsStreams, subscriber, numbers, nowMs } = options
    this.#log = log
    this.token = token
    this.formerToken = formerToken
    this.requestedPath = requestedPath
    this.hlsStream = hlsStream
    this.subscriber = subscriber
    this.#hlsStreams = hlsStreams
    this.#lastRequestMs = nowMs
    hlsStream.hold(requestedPath)
    if (numbers !== undefined) this.#begin(numbers)
  }

  /** The numbers for the session that continues this one; undefined when they are those of all viewers. */
  get nextNumbers(): SequenceNumbers | undefined {
    return this.#splice?.nextNumbers
  }

  /** The source of its playlists. */
  get source(): PlaylistSource {
    return this.#splice ?? this.hlsStream
  }

  /**
   * Reacts to a move to another stream. If the stream that it shares with others was moved along, it goes on with that; otherwise it gets
   * playlists of its own from now on.
   */
  moved(): void {
    this.#guard(() => {
      if (this.#splice !== undefined) return this.#splice.update()
      const { hlsStream: home, subscriber } = this
      if (!this.#released && !home.disposed && home.sourcePath !== subscriber.sourcePath) this.#begin()
    })
  }

  /** Begins playlists of its own. */
  #begin(numbers?: SequenceNumbers): void {
    const { hlsStream: home, requestedPath, subscriber } = this
    const waiting = home.waiting.split(this)
    const onChange = () => this.#guard(() => this.#splice?.update())
    const common = { home, waiting, hlsStreams: this.#hlsStreams, subscriber, requestedPath, numbers }
    this.#splice = new Splice({ ...common, onChange })
    this.#splice.update()
  }

  /** Does the work that is due by time. */
  tick(nowMs: number): void {
    this.#guard(() => this.#splice?.tick(nowMs))
  }

  /** Calls `act`, and ends the viewer if it throws: it runs on the media path of others, which has no handler. */
  #guard(act: () => void): void {
    try {
      act()
    } catch (err) {
      this.#log.error({ err }, 'the switch of a viewer failed')
      this.subscriber.close({ code: 'failed', text: 'failed' })
    }
  }

  /** Releases the streams that it holds. Idempotent. */
  release(): void {
    if (this.#released) return
    this.#released = true
    if (this.#splice === undefined) this.hlsStream.release(this.requestedPath)
    else this.#splice.close()
  }

  touch(nowMs: number): void {
    this.#lastRequestMs = nowMs
  }

  isIdle(nowMs: number): boolean {
    const idleMs = Math.max(IDLE_TARGETS * this.source.targetMs, MIN_IDLE_MS)
    return this.waitingCount === 0 && nowMs - this.#lastRequestMs > idleMs
  }
}
