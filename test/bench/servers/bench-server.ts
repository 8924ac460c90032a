import type { Format, Target } from '../load/player.ts'
import type { Usage } from './process-usage.ts'

/** What a server tells of itself, as far as it does. */
export type ServerStatus = {
  readonly eventLoopUtilization?: number
  readonly eventLoopDelayP99Ms?: number
  /** How long it gathers output into one write. */
  readonly mergeWindowMs?: number
}

/** What a server tells of its subscribers. */
export type SubscriberCounts = { readonly subscribers: number; readonly dropped: number; readonly skips: number }

export interface RunningServer {
  readonly rtmpPort: number
  /** Where to play a stream, given by app and name. */
  target(format: Format, path: string): Target
  /** Resolves when a stream that is published can be played. */
  playable?(path: string): Promise<void>
  usage(): Promise<Usage>
  status?(): Promise<ServerStatus>
  subscribers?(): Promise<SubscriberCounts>
  stop(): Promise<void>
}

/** What a server is started for, where it has to know. */
export type Purpose = { readonly format: Format; readonly viewers: number }

/** A server, or a variant of one, that is measured. */
export interface BenchServer {
  readonly name: string
  readonly formats: readonly Format[]
  /** Most bytes that it queues for a viewer, where it is known. */
  readonly queueBytes?: number
  start(purpose: Purpose): Promise<RunningServer>
}
