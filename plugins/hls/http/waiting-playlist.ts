import type { HlsStream } from '../hls-stream.ts'
import type { PlaylistRequest } from './playlist-cache.ts'
import type { Rendition } from '../presentation/rendition.ts'
import { hasLeft, sendReady, sendStatus, type HttpExchange } from './replies.ts'
import type { Session } from '../sessions/session.ts'
import type { WaitingRequest } from './waiting-requests.ts'

/** A request waits this many target durations at most (draft-pantos-hls-rfc8216bis 6.2.5.2). */
export const MAX_WAIT_TARGETS = 3

export type WaitingPlaylistOptions = {
  readonly exchange: HttpExchange
  readonly session: Session
  readonly rendition: Rendition
  readonly msn: number
  readonly part: number | undefined
  readonly request: PlaylistRequest
  readonly nowMs: () => number
}

/** A blocking playlist reload. */
export class WaitingPlaylist implements WaitingRequest {
  readonly deadlineMs: number
  readonly #options: WaitingPlaylistOptions
  readonly #hlsStream: HlsStream

  constructor(options: WaitingPlaylistOptions) {
    this.#options = options
    this.#hlsStream = options.session.hlsStream
    this.deadlineMs = options.nowMs() + MAX_WAIT_TARGETS * this.#hlsStream.targetMs
    options.session.waitingCount++
  }

  get gone(): boolean {
    return hasLeft(this.#options.exchange)
  }

  answer(): boolean {
    const { exchange, session, rendition, msn, part, request } = this.#options
    if (!this.#hlsStream.ended && !rendition.has(msn, part)) return false
    const reply = this.#hlsStream.playlist(rendition.name, request)
    if (reply === undefined) sendStatus(exchange, 404)
    else sendReady(exchange, reply, session.subscriber)
    return true
  }

  expire(): void {
    sendStatus(this.#options.exchange, 503)
  }

  ended(): void {
    const { session, nowMs } = this.#options
    session.waitingCount--
    session.touch(nowMs())
  }
}
