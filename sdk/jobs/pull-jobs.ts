import type { PublishConfig } from '../config/groups.ts'
import type { PullRule } from '../config/jobs.ts'
import type { Recording } from '../playback/recording.ts'
import type { HookOrder } from '../plugin/hooks.ts'
import type { JobProgress } from './job-progress.ts'
import type { JobSteps } from './job-steps.ts'

/** A stream that is to be pulled. */
export type PullWish = {
  /** The plugin that pulls it, by its service `pull:` and this name. */
  readonly plugin: string
  readonly streamPath: string
  readonly rule: PullRule
  /** Keys of the `publish` group that differ from the section of that plugin. */
  readonly publish: Readonly<Partial<PublishConfig>>
  /** The query of the subscriber that asked for it, which may hold secrets. */
  readonly args: Readonly<Record<string, string>>
  /** Opens recordings of the server to play, which are closed when the signal aborts; another source unless given. */
  readonly openRecording?: (args: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Recording>
  /** The id of the wish within its source, such as that of a proxy. */
  readonly tag?: string
  /** True when it continues without subscribers once one has asked for it, and is tried again without them. */
  readonly isLasting?: boolean
  /** The origin that operators see, such as `rule`. Default `plugin` for a pull that is lasting, else `subscriber`. */
  readonly origin?: string
}

/** A source of pulls for subscribers of a path. */
export interface PullSource {
  /**
   * Returns the pull of a path; undefined when the source has none, so that the next source is asked. `null` leaves the path as
   * it is, whatever pulls the sources after this one have: no pull begins there, and a running one is neither changed nor ended.
   */
  match(streamPath: string): PullWish | null | undefined
}

/** A pull that has not ended. */
export interface RunningPull {
  readonly wish: PullWish
  /** The origin of its wish, as operators see it. */
  readonly origin: string
  readonly progress: JobProgress
  /** True while its media flows. */
  readonly isPublishing: boolean
  /** True once it was stopped or its publisher closed, while it leaves the source: it publishes no stream any more. */
  readonly ending: boolean
  /** Resolves when media flows for the first time, and rejects when the pull ended without. */
  readonly begun: Promise<void>
  /** The steps of its latest try. */
  readonly steps: Pick<JobSteps, 'list' | 'current'>
  stop(reason: string): void
  /** Tries again at once when it waits for its next try. */
  retryNow(): void
}

/** The pulls of the server, one at most for each path: each wanted by a plugin. */
export interface PullJobs {
  /**
   * Asks `source` for the pulls of subscribers from the moment when the generation takes over. When it is removed, the pulls of
   * subscribers are matched anew, and so are those that its plugin has started: the source of a newer generation continues them, a source
   * with another pull restarts them while they have subscribers, and they end without one.
   * @param order the stage; sources of lower stages are asked first. It is 0 unless given; the rules of the config are at 10
   * @returns a function that removes the source; the end of the generation removes it, too
   */
  addSource(source: PullSource, order?: Pick<HookOrder, 'stage'>): () => void
  /** Calls `listener` each time a try of a pull has failed. @returns a function that stops that */
  onFailure(listener: (streamPath: string) => void): () => void
  /** Returns the pulls that have not ended, the newest of each path. */
  list(): readonly RunningPull[]
  /** Returns the pull of a path that has not ended. */
  get(streamPath: string): RunningPull | undefined
  /**
   * Pulls a path for the subscribers that wait for it, if a source or rule has an address for it; returns true when it will
   * have a publisher.
   */
  demand(streamPath: string, args: Readonly<Record<string, string>>): boolean
  /** Starts a pull without subscribers; a pull that has the path is stopped first. Returns undefined once the server is stopping. */
  start(wish: PullWish): RunningPull | undefined
  /** Starts the pull of a path anew, with the present wish of its source; ends it when no source has one any more. */
  restart(streamPath: string): void
  /** Applies `publish` and `isLasting` of a wish to the pull of its path, without a restart. */
  adapt(wish: PullWish): void
  /** Returns true when a plugin offers to pull by this protocol. */
  canPull(protocol: string): boolean
  /**
   * Returns the plugin that pulls such an address or plays such a file, by the schemes and endings of its service; undefined
   * without one.
   */
  protocolOf(url: string): string | undefined
}
