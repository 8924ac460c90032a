import type { RecordedFile, RecordingEvent } from 'sluice/sdk'
import type { WantedRecording } from './record-rules.ts'
import type { KeptDates } from './stream-dates.ts'

/** The origin of a recording: a rule or a source, whose recordings end with it; an operator or a plan, which stop it; an event. */
export type RecordOrigin = 'rule' | 'operator' | 'event'

/** An event that is recorded by itself. It ends at an uptime of the server, whatever is done to the clock. */
export type EventTerms = { readonly event: RecordingEvent; readonly beforeMs: number; untilMs: number }

/** The end of a recording that another generation goes on with. */
export type HandedRecording = {
  /** Its dates, by which the next file has its own; undefined where it had none yet. */
  readonly dates: KeptDates | undefined
  /** Its time was over before: nothing goes on. */
  readonly isOver: boolean
}

/**
 * A recording, as the next generation of the plugin finds it: its terms, and functions of the generation that has begun it.
 *
 * The next generation takes the stream beside this one, and learns from what it is given at once how far the stream is. It has this one
 * end its file at the first keyframe after that time, and begins its own file with the same keyframe. Both are given the same units in
 * the same order, so that each unit is in one file, however far either of them is behind.
 */
export interface RunningRecording {
  readonly wanted: WantedRecording
  readonly origin: RecordOrigin
  /** Undefined where it is for no event. */
  readonly eventTerms: EventTerms | undefined
  readonly startMs: number
  /** The ids that its task had and has, the newest last. */
  readonly taskIds: readonly number[]
  /** True once others were told that it goes on. */
  readonly isTold: boolean
  /** The file that is being written. */
  readonly file: RecordedFile | undefined
  /** Settles when its files are whole and their rows are on their way; never rejects. */
  readonly done: Promise<void>
  /** Is called when the next generation goes on with it: it is tried no more, and others are not told of its end. */
  release(): void
  /**
   * Ends its file at the first keyframe after a time of the stream.
   * @returns resolves when that has come, or when it has ended otherwise; where it appends, once its file is whole and known
   */
  endAfter(timeMs: number): Promise<HandedRecording>
  /** Ends it as one that nobody goes on with. */
  stop(reason: string): void
  /** Has it end its file as nothing may be written. */
  interrupt(reason: string): void
}
