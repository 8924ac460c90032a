import type { PluginContext, Subscriber } from 'sluice/sdk'
import type { HlsStream } from '../hls-stream.ts'
import { Splice, type SpliceOptions } from '../splice/splice.ts'
import type { SequenceNumbers } from '../presentation/sequence-numbers.ts'
import type { PlaylistSource } from './playlist-source.ts'

export type SessionOptions = {
  readonly log: PluginContext<unknown>['log']
  readonly token: string
  /** The token of the session that it goes on from, which players may go on to ask for. */
  readonly formerToken: string | undefined
  /** The path that was asked for; a gate may have led it to another. */
  readonly requestedPath: string
  readonly hlsStream: HlsStream
  readonly hlsStreams: SpliceOptions['hlsStreams']
  readonly subscriber: Subscriber
  /** The numbers that its playlists go on with, where the session that it goes on from had some of its own. */
  readonly numbers: SequenceNumbers | undefined
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
  /** The stream that it began with, which it shares with others. */
  readonly hlsStream: HlsStream
  readonly subscriber: Subscriber
  /** Its requests that wait for something to be made. */
  waitingCount = 0
  /** Its stream has gone, and nobody came back in time. */
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

  /** The numbers that a session goes on with that takes its place; undefined where they are those of all viewers. */
  get nextNumbers(): SequenceNumbers | undefined {
    return this.#splice?.nextNumbers
  }

  /** What its playlists are of. */
  get source(): PlaylistSource {
    return this.#splice ?? this.hlsStream
  }

  /**
   * Takes note that it was moved to another stream. Where the stream that it shares with others was moved along, that
   * goes on; otherwise it has playlists of its own from now on.
   */
  moved(): void {
    this.#guard(() => {
      if (this.#splice !== undefined) return this.#splice.update()
      const { hlsStream: home, subscriber } = this
      if (!this.#released && !home.disposed && home.sourcePath !== subscriber.sourcePath) this.#begin()
    })
  }

  /** Has playlists of its own from now on. */
  #begin(numbers?: SequenceNumbers): void {
    const { hlsStream: home, requestedPath, subscriber } = this
    const waiting = home.waiting.split(this)
    const onChange = () => this.#guard(() => this.#splice?.update())
    const common = { home, waiting, hlsStreams: this.#hlsStreams, subscriber, requestedPath, numbers }
    this.#splice = new Splice({ ...common, onChange })
    this.#splice.update()
  }

  /** Does what falls due by itself. */
  tick(nowMs: number): void {
    this.#guard(() => this.#splice?.tick(nowMs))
  }

  /** What fails for one viewer ends that one: it happens beside the media of others, where nobody catches. */
  #guard(act: () => void): void {
    try {
      act()
    } catch (err) {
      this.#log.error({ err }, 'the switch of a viewer failed')
      this.subscriber.close({ code: 'failed', text: 'failed' })
    }
  }

  /** Lets go of what it holds. Idempotent. */
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
