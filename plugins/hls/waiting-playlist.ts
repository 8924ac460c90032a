import type { Feed } from './feed.ts'
import type { PlaylistRequest } from './playlist-cache.ts'
import type { Rendition } from './presentation/rendition.ts'
import { hasLeft, sendReady, sendStatus, type Exchange } from './replies.ts'
import type { Session } from './session.ts'
import type { WaitingRequest } from './waiting-requests.ts'

/** How much longer than a target duration something may take (draft-pantos-hls-rfc8216bis 6.2.5.2). */
export const MAX_WAIT_TARGETS = 3

export type WaitingPlaylistInit = {
  readonly exchange: Exchange
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
  readonly #init: WaitingPlaylistInit
  readonly #feed: Feed

  constructor(init: WaitingPlaylistInit) {
    this.#init = init
    this.#feed = init.session.feed
    this.deadlineMs = init.nowMs() + MAX_WAIT_TARGETS * this.#feed.targetMs
    init.session.waitingCount++
  }

  get gone(): boolean {
    return hasLeft(this.#init.exchange)
  }

  answer(): boolean {
    const { exchange, rendition, msn, part, request } = this.#init
    if (!this.#feed.ended && !rendition.has(msn, part)) return false
    const reply = this.#feed.playlist(rendition.name, request)
    if (reply === undefined) sendStatus(exchange, 404)
    else sendReady(exchange, reply)
    return true
  }

  expire(): void {
    sendStatus(this.#init.exchange, 503)
  }

  ended(): void {
    const { session, nowMs } = this.#init
    session.waitingCount--
    session.touch(nowMs())
  }
}
