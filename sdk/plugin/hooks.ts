import type { Track } from '../media/track.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { SessionRequest } from '../stream/session-request.ts'
import type { StreamInfo, SubscriberInfo } from '../stream/stream-info.ts'

/**
 * The hooks that a plugin taps with `ctx.hooks.on`, each of one kind:
 *
 * | kind | hooks | called | what the hook may do |
 * | --- | --- | --- | --- |
 * | admission | `publish`, `subscribe` | in the order of tapping, one after another, after the gates | refuse the session, by throwing or rejecting; the others are then not called |
 * | resolve | `resolve` | likewise, when a subscriber asks for a path without a publisher | return true: it will publish the path; the others are then not called |
 * | notice | all others | all, in the turn in which it happens | nothing; what they throw is logged with the plugin's name |
 *
 * The client of a session that an admission hook refuses gets 401, and not why; a `SluiceError` that a hook throws reaches
 * it as it is. A plain `Error` is a refusal, and its message is the reason in the log. Errors that come from a mistake in
 * the code (`TypeError`, `ReferenceError`, `RangeError`, `SyntaxError`, those of `node:assert`) refuse as well, and are
 * logged with their stack as the plugin's failure.
 *
 * Admission and resolve hooks have five seconds: an admission hook that takes longer refuses, a resolve hook won't publish.
 * Sessions of the server's own, such as pulls, pass the hooks, too: `request.type` tells them apart.
 */
export interface Hooks {
  /** A session wants to publish; the path is the one that the gates have left it with. */
  publish(request: SessionRequest): void | Promise<void>
  /** A session wants to play; the path is the one that the gates have left it with. */
  subscribe(request: SessionRequest): void | Promise<void>
  /** A subscriber was admitted to a path that has no publisher; it waits for one as long as `subscribe.waittimeout` says. */
  resolve(request: SessionRequest): boolean | Promise<boolean>
  /** A publisher has started on a path. */
  published(stream: StreamInfo): void | Promise<void>
  /** A publisher has ended. */
  unpublished(stream: StreamInfo, reason: CloseReason): void | Promise<void>
  /** A track has appeared on a stream, or its configuration has changed. */
  track(stream: StreamInfo, track: Track): void | Promise<void>
  /** A subscriber was attached to a stream. */
  subscribed(subscriber: SubscriberInfo): void | Promise<void>
  /** A subscriber that was attached has ended. */
  unsubscribed(subscriber: SubscriberInfo, reason: CloseReason): void | Promise<void>
}

/** The hooks, as a plugin taps them. */
export interface HookRegistry {
  /**
   * Taps a hook, after those who have tapped it before; unloading the plugin undoes that.
   * @returns undoes the tap
   */
  on<Name extends keyof Hooks>(name: Name, hook: Hooks[Name]): () => void
}
