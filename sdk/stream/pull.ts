import type { CloseReason } from './close-reason.ts'
import type { Dialer } from './dialer.ts'
import type { Recording } from '../playback/recording.ts'
import type { PublishOptions } from './publisher.ts'
import type { SessionInit } from './session-request.ts'

/** The report of a job that begins. */
export interface JobReport {
  /**
   * Begins a step, for example `connect`; the previous step is done. Clients that wait for the stream see it
   * (`/api/stream/progress`), so it holds nothing secret.
   */
  step(name: string, description?: string): void
}

/** A source to fetch, and the session to publish it as. */
export type PullRequest = JobReport & {
  /** The address of the source, with its user information and query: show it by `maskUrl` only. */
  readonly url: string
  /**
   * The local file that the address names, where it is one with an ending of `PullService.files`; it lies where files may be
   * read.
   */
  readonly file: string | undefined
  /**
   * Recordings of the server that are to be played, where `url` names some (`recording:`): give them to `playRecording`. They are closed when
   * the signal aborts.
   */
  readonly recording?: Recording | undefined
  /** The session to publish as: give it to `ctx.streams.publish` as it is. */
  readonly session: SessionInit
  /** The options to publish with, as the second argument: add those of the protocol, such as `control` or `timestampBits`. */
  readonly options: PublishOptions
  /** Further headers for the requests to the source, where the protocol has headers. */
  readonly header: Readonly<Record<string, readonly string[]>>
  /** The number of repetitions of a source that has an end; −1 is for ever. */
  readonly loop: number
  /** The query of the subscriber that it is for, with the parameters of the rule: for sources that are made to order. May hold secrets. */
  readonly args: Readonly<Record<string, string>>
  /** Opens all connections to the source, redirects included. */
  readonly dial: Dialer
  /** Ends the pull when it aborts. */
  readonly signal: AbortSignal
}

/** The end of a pull that did not fail: the source has ended, or the server closed the publisher. */
export type PullEnd = { readonly by: 'source' } | { readonly by: 'server'; readonly reason: CloseReason }

/**
 * Fetches streams by one protocol. A plugin provides it as `pull:` and its name. The host decides when to pull and when to
 * try again: by the `pull` and `onsub.pull` rules of the plugin's section, pull proxies, and `POST /api/stream/pull`.
 */
export interface PullService {
  /** The schemes of addresses that it pulls, without colon, for example `rtsp`; for requests that name no protocol. */
  readonly schemes?: readonly string[]
  /** The endings of its addresses' paths, for example `.m3u8`, in lower case; looked at after the schemes. */
  readonly endings?: readonly string[]
  /** True when its protocol has no headers: where a rule sets some, the log says that they are not sent. Default false. */
  readonly headerless?: boolean
  /** The endings of local files that it plays, for example `.mp4`, in lower case. */
  readonly files?: readonly string[]
  /**
   * Opens the source and publishes it until it ends. Its publisher is closed when the promise settles.
   * @throws {Error} with the fault, and nothing secret, in its message, when the source can't be reached, can't be carried or
   *   breaks off; {@link StreamExists} and the like when the path can't be published; anything when the signal aborts
   */
  pull(request: PullRequest): Promise<PullEnd>
}
