import type { Job, JobInit } from './job.ts'
import type { PullJobs } from './pull-jobs.ts'
import type { PushJobs } from './push-jobs.ts'

/** Runs work on streams that is tried again when it fails: jobs of the plugin, and the pulls and pushes of the server. */
export interface JobRunner {
  /**
   * Starts a job: a task of the plugin, which `sluice_jobs` counts and the notices `taskBegan` and `taskEnded` announce. It
   * ends with the generation.
   * @throws {SluiceError} when the generation has ended
   */
  start(init: JobInit): Job
  readonly pulls: PullJobs
  readonly pushes: PushJobs
}
