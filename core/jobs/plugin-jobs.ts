import type { HookRegistry, Job as PluginJob, JobInit, PushJobs, TaskRegistry } from 'sluice/sdk'
import type { JobMeters } from './job-meters.ts'
import type { PullManager } from './pull-manager.ts'
import { startJob } from './service-job.ts'

type PluginJobsOptions = {
  readonly hooks: Pick<HookRegistry, 'notify'>
  readonly meters: JobMeters
  readonly pulls: PullManager
  readonly pushes: PushJobs
}

/** The jobs, as the context of a plugin offers them. */
export class PluginJobs {
  readonly pulls: PullManager
  readonly pushes: PushJobs
  readonly #options: PluginJobsOptions

  constructor(options: PluginJobsOptions) {
    this.#options = options
    this.pulls = options.pulls
    this.pushes = options.pushes
  }

  /** Starts a job of a plugin, as one of its tasks. */
  start(tasks: TaskRegistry, init: JobInit): PluginJob {
    return startJob(init, { ...this.#options, tasks })
  }
}
