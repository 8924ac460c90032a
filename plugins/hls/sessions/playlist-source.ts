import type { PlaylistRequest, ReadyReply } from '../http/playlist-cache.ts'
import type { WaitingRequests } from '../http/waiting-requests.ts'
import type { Rendition } from '../presentation/rendition.ts'

/** The source of a viewer's playlists: a stream that it shares with others, or a splice of its own. */
export interface PlaylistSource {
  /** True when no more media comes, and playlists have ended. */
  readonly ended: boolean
  /** True when its segments were freed. */
  readonly disposed: boolean
  readonly targetMs: number
  /** The requests that wait for a segment or part. */
  readonly waiting: WaitingRequests
  /** The current state of a rendition, by its name. */
  rendition(name: string): Pick<Rendition, 'has' | 'lastMsn' | 'lastPart'> | undefined
  /** A rendition's playlist; undefined when there is no such rendition. */
  playlist(name: string, request: PlaylistRequest): ReadyReply | undefined
}
