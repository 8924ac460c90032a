import type { PublishConfig } from '../config/groups.ts'
import type { CloseReason } from './close-reason.ts'

/** A source to fetch, and the path to publish it at. */
export type PullRequest = {
  /** The address of the source, with its user information and query: show it by `maskUrl` only. */
  readonly url: string
  /** The path to publish. */
  readonly streamPath: string
  /** Further headers for the requests to the source, where the protocol has headers. */
  readonly header: Readonly<Record<string, readonly string[]>>
  /** How many times a source that has an end is repeated; −1 is for ever. */
  readonly loop: number
  /** Keys that hold instead of those of the plugin's `publish` section, for `PublishOptions.config`. */
  readonly publish: Readonly<Partial<PublishConfig>>
  /** Ends the pull when it aborts. */
  readonly signal: AbortSignal
}

/** How a pull ended that did not fail: the source said that it is over, or the server closed the publisher. */
export type PullEnd = { readonly by: 'source' } | { readonly by: 'server'; readonly reason: CloseReason }

/**
 * Fetches streams by one protocol. A plugin provides it as `pull:` and its name. When to pull and when to try again is
 * the host's business: by the `pull` and `onsub.pull` rules of the plugin's section, and `POST /api/stream/pull`.
 */
export interface PullService {
  /** The schemes of addresses that it pulls, without colon, for example `rtsp`; for requests that name no protocol. */
  readonly schemes?: readonly string[]
  /** The endings of its addresses' paths, for example `.m3u8`, in lower case; looked at after the schemes. */
  readonly endings?: readonly string[]
  /**
   * Opens the source and publishes it as a session of type `pull` until it ends. Its publisher is closed when the promise
   * settles.
   * @throws {Error} that says what is wrong, with nothing secret in its message, when the source can't be reached, can't
   * be carried or breaks off; {@link StreamExists} and the like when the path can't be published; anything when the
   * signal aborts
   */
  pull(request: PullRequest): Promise<PullEnd>
}
