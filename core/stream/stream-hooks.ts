import type { Hooks, Resolution, SessionRequest } from 'sluice/sdk'

/** What a stream tells the plugins. */
type StreamNotice = 'published' | 'unpublished' | 'track' | 'subscribed' | 'unsubscribed'

/** Hooks as a stream uses them. */
export interface StreamHooks {
  resolve(request: SessionRequest): Promise<Resolution>
  notify<Name extends StreamNotice>(name: Name, ...args: Parameters<Hooks[Name]>): void
}
