import type { CloseReason } from './close-reason.ts'
import type { Subscriber } from './subscriber.ts'

/** A stream to send out, and where to. */
export type PushRequest = {
  /** The address of the target, with its user information and query: show it by `maskUrl` only. */
  readonly url: string
  /** The session that takes the stream, of type `push`; nothing has been attached to it. */
  readonly subscriber: Subscriber
  /** Ends the push when it aborts. */
  readonly signal: AbortSignal
}

/**
 * Sends streams to other servers by one protocol. A plugin provides it as `push:` and its name. When to push and when to try
 * again is for those to know who ask for it.
 */
export interface PushService {
  /** The schemes of addresses that it pushes to, without colon, for example `rtsp`. */
  readonly schemes: readonly string[]
  /**
   * Opens the target and sends the stream there, until the subscriber ends: why it did is what the promise resolves to. The
   * subscriber is closed when the promise settles.
   * @throws {Error} that says what is wrong, with nothing secret in its message, when the target can't be reached, refuses
   * or breaks off, or when the signal aborts
   */
  push(request: PushRequest): Promise<CloseReason>
}
