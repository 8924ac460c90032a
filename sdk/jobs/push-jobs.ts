import type { PushRule } from '../config/jobs.ts'
import type { JobProgress, JobState } from './job-progress.ts'

/** A stream that is to be sent to a target. */
export type PushWish = {
  /** The plugin that pushes it, by its service `push:` and this name. */
  readonly plugin: string
  readonly streamPath: string
  readonly rule: PushRule
  /** True when audio tracks are left out. */
  readonly isSilent?: boolean
  /** The origin that operators see, such as `rule`. Default `plugin`. */
  readonly origin?: string
}

/** A push that has not ended. */
export interface RunningPush {
  readonly wish: PushWish
  /** The origin of its wish, as operators see it. */
  readonly origin: string
  readonly progress: JobProgress
  /** The present state; undefined when it has ended. */
  readonly state: JobState | undefined
  /** Resolves when the target has taken the stream, and rejects when the push ended without. */
  readonly begun: Promise<void>
  stop(reason: string): void
  /** Tries again at once when it waits for its next try. */
  retryNow(): void
}

/** The pushes of the server, one at a time for each stream and address: each wanted by a plugin. */
export interface PushJobs {
  /** Calls `listener` each time a try of a push has failed. @returns a function that stops that */
  onFailure(listener: (wish: PushWish) => void): () => void
  /** Returns all pushes that have not ended, including those that are ending. */
  list(): readonly RunningPush[]
  /** Returns the push of a stream to an address, unless it is ending: another one can follow it. */
  find(wish: Pick<PushWish, 'streamPath' | 'rule'>): RunningPush | undefined
  /**
   * Starts a push, which continues when the generation ends: the next generation finds it, and the last one stops it.
   * @throws {SluiceError} 409: the stream is sent there already; 503: the server is stopping
   */
  start(wish: PushWish): RunningPush
  /** Returns true when a plugin offers to push by this protocol. */
  canPush(protocol: string): boolean
  /** Returns the plugin that pushes to such an address, by the schemes of its service; undefined without one. */
  protocolOf(url: string): string | undefined
}
