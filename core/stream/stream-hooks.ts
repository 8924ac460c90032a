import type { EndedTask, Hooks, Resolution, SessionRequest } from 'sluice/sdk'

/** The notices of a stream to the plugins. */
type StreamNotice = 'published' | 'unpublished' | 'track' | 'subscribed' | 'unsubscribed'

/** The hooks that a stream needs. */
export interface StreamHooks {
  resolve(request: SessionRequest): Promise<Resolution>
  /** Sends the notice of a session that has ended; `ended` makes it, if a plugin taps it. */
  notifyEnded(ended: () => EndedTask): void
  notify<Name extends StreamNotice>(name: Name, ...args: Parameters<Hooks[Name]>): void
}
