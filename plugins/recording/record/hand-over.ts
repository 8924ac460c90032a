import type { Job, RecordedFile, RecordingEvent } from 'sluice/sdk'
import type { WantedRecording } from './record-rules.ts'
import type { KeptDates } from './stream-dates.ts'

/**
 * The origin of a recording: `rule` for a rule or a source, with which the recording ends; `operator` for an operator or a plan, who stop
 * it; `event` for an event.
 */
export type RecordOrigin = 'rule' | 'operator' | 'event'

/** The terms of an event with a recording of its own, which ends at the server's uptime `untilMs`, however the clock is set. */
export type EventTerms = { readonly event: RecordingEvent; readonly beforeMs: number; untilMs: number }

/** The state of a recording at its end, from which another generation continues it. */
export type HandedRecording = {
  /** The dates that the next file continues; undefined when the recording had none yet. */
  readonly dates: KeptDates | undefined
  /** True when the recording's time was over before, so that there is nothing to continue. */
  readonly isOver: boolean
}

/**
 * A running recording as the next generation of the plugin finds it: its terms, and functions of the generation that has begun it.
 *
 * The next generation subscribes to the stream as well, and reads the present time of the stream from the units that it receives at once.
 * It makes this recording end its file at the first keyframe after that time, and begins its own file with the same keyframe. Both receive
 * the same units in the same order, so that each unit is in one file, however far either of them is behind.
 */
export interface RunningRecording {
  readonly wanted: WantedRecording
  readonly origin: RecordOrigin
  /** Undefined for a recording that is not an event's own. */
  readonly eventTerms: EventTerms | undefined
  readonly startMs: number
  /** The ids of its former tasks and of its present task, the newest last. */
  readonly taskIds: readonly number[]
  /** Its job, which that of the next generation continues. */
  readonly job: Job
  /** The file that is being written. */
  readonly file: RecordedFile | undefined
  /** Resolves when its files are finished and their rows are queued for the database. Never rejects. */
  readonly done: Promise<void>
  /** Called when the next generation continues the recording: it makes no more attempts, and its end is not reported. */
  release(): void
  /**
   * Ends its file at the first keyframe after a time of the stream.
   * @returns resolves when that keyframe has come, or the recording has ended otherwise; with `append`, once the file and its row are
   * stored
   */
  endAfter(timeMs: number): Promise<HandedRecording>
  /** Ends the recording for good: no generation continues it. */
  stop(reason: string): void
  /** Ends its file, since nothing may be written at present; the recording is tried again. */
  interrupt(reason: string): void
}
