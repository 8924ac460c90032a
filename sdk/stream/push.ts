import type { CloseReason } from './close-reason.ts'
import type { Dialer } from './dialer.ts'
import type { JobReport } from './pull.ts'
import type { SessionInit } from './session-request.ts'
import type { Subscriber } from './subscriber.ts'

/** A stream to send out, and its target. */
export type PushRequest = JobReport & {
  /** The address of the target, with its user information and query: show it by `maskTarget` only. */
  readonly url: string
  /** The session that takes the stream: give it to `ctx.streams.subscribe` as it is. */
  readonly session: SessionInit
  /** Further headers for the requests to the target, where the protocol has headers. */
  readonly header: Readonly<Record<string, readonly string[]>>
  /** Opens all connections to the target, redirects included. */
  readonly dial: Dialer
  /** Ends the push when it aborts. */
  readonly signal: AbortSignal
  /** Declares that the target has agreed and media goes out. */
  begun(subscriber: Subscriber): void
}

/**
 * Sends streams to other servers by one protocol. A plugin provides it as `push:` and its name. The host decides when to push
 * and when to try again: by the `onpub.push` rules of the plugin's section, push proxies, and requests of operators.
 */
export interface PushService {
  /** The schemes of addresses that it pushes to, without colon, for example `rtsp`. */
  readonly schemes: readonly string[]
  /** True when its protocol has no headers, as {@link PullService.headerless}; default false. */
  readonly headerless?: boolean
  /**
   * Subscribes, opens the target and sends the stream there, until the subscriber ends; the promise resolves to the reason of
   * that end. The subscriber is closed when the promise settles.
   * @throws {Error} with the fault, and nothing secret, in its message, when the target can't be reached, refuses or breaks
   *   off; {@link StreamNotFound} and the like when there is no stream; anything when the signal aborts
   */
  push(request: PushRequest): Promise<CloseReason>
}
