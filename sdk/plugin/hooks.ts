import type { Track } from '../media/track.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { SessionRequest } from '../stream/session-request.ts'
import type { StreamInfo, SubscriberInfo } from '../stream/stream-info.ts'

/**
 * The hooks a plugin can tap with `ctx.hooks.on`. Their kind is fixed here:
 * - *admission* (`publish`, `subscribe`): run in order after the gates; the first that throws or rejects denies.
 * - *resolve*: run in order when a subscriber asks for a path without publisher, until one returns true: it will
 *   publish the path. The subscriber waits for it as for any publisher.
 * - *notice* (all others): all run; what they throw is logged with the plugin's name and harms nobody.
 *
 * Admission and resolve hooks have a deadline (5 s); past it an admission is denied and a resolve counts as false.
 */
export interface Hooks {
  publish(request: SessionRequest): void | Promise<void>
  subscribe(request: SessionRequest): void | Promise<void>
  resolve(request: SessionRequest): boolean | Promise<boolean>
  /** A publisher started on a path. */
  published(stream: StreamInfo): void | Promise<void>
  /** A publisher ended. */
  unpublished(stream: StreamInfo, reason: CloseReason): void | Promise<void>
  /** A track appeared on a stream, or its configuration changed. */
  track(stream: StreamInfo, track: Track): void | Promise<void>
  /** A subscriber was attached to a stream. */
  subscribed(subscriber: SubscriberInfo): void | Promise<void>
  /** A subscriber that was attached ended. */
  unsubscribed(subscriber: SubscriberInfo, reason: CloseReason): void | Promise<void>
}

/** How a plugin taps hooks. */
export interface HookRegistry {
  /** Taps a hook, after those who tapped it before. Returns the undo; unloading the plugin undoes it, too. */
  on<Name extends keyof Hooks>(name: Name, hook: Hooks[Name]): () => void
}
