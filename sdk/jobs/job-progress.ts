/** The present state of a job. */
export type JobState = 'waiting' | 'connecting' | 'running' | 'retrying'

/** A job as operators see it at a moment. */
export type JobProgress = {
  /** The id of its task, by which operators stop it and have it begin anew. */
  readonly id: number
  /** The present state; undefined when it has ended. */
  readonly state: JobState | undefined
  readonly startTime: Date
  /** The number of tries so far, with the one that is under way. */
  readonly tries: number
  /** The error of the latest try that failed, without secrets; empty when none has. */
  readonly lastError: string
  /** The bytes of media that the latest try has moved. */
  readonly movedBytes: number
  /** Bits per second of media, between two looks; 0 unless it is running. */
  readonly bitrate: number
}
