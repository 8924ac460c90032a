import type { PlaylistRequest, ReadyReply } from '../http/playlist-cache.ts'
import type { WaitingRequests } from '../http/waiting-requests.ts'
import type { Rendition } from '../presentation/rendition.ts'

/** What a viewer's playlists are of: a stream that it shares with others, or a splice of its own. */
export interface PlaylistSource {
  /** No media comes any more: playlists say so. */
  readonly ended: boolean
  /** Nothing is left of it. */
  readonly disposed: boolean
  readonly targetMs: number
  /** The requests that wait for something to be made. */
  readonly waiting: WaitingRequests
  /** A rendition by its name, as it is now. */
  rendition(name: string): Pick<Rendition, 'has' | 'lastMsn' | 'lastPart'> | undefined
  /** A rendition's playlist; undefined where there is no such rendition. */
  playlist(name: string, request: PlaylistRequest): ReadyReply | undefined
}
