import type { PlaylistRequest } from './playlist-cache.ts'
import { hasLeft, sendReady, sendStatus, type HttpExchange } from './replies.ts'
import type { Session } from '../sessions/session.ts'
import type { WaitingRequest } from './waiting-requests.ts'

/** A request waits this many target durations at most (draft-pantos-hls-rfc8216bis 6.2.5.2). */
export const MAX_WAIT_TARGETS = 3

export type WaitingPlaylistOptions = {
  readonly exchange: HttpExchange
  readonly session: Session
  /** The rendition's name. */
  readonly name: string
  readonly msn: number
  readonly part: number | undefined
  readonly request: PlaylistRequest
  readonly nowMs: () => number
}

/** A blocking playlist reload. */
export class WaitingPlaylist implements WaitingRequest {
  readonly deadlineMs: number
  readonly #options: WaitingPlaylistOptions

  constructor(options: WaitingPlaylistOptions) {
    this.#options = options
    this.deadlineMs = options.nowMs() + MAX_WAIT_TARGETS * options.session.source.targetMs
    options.session.waitingCount++
  }

  get owner(): object {
    return this.#options.session
  }

  get gone(): boolean {
    return hasLeft(this.#options.exchange)
  }

  answer(): boolean {
    const { exchange, session, name, msn, part, request } = this.#options
    // The viewer may have been switched meanwhile.
    const { source } = session
    if (!source.ended && source.rendition(name)?.has(msn, part) === false) return false
    const reply = source.playlist(name, request)
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
