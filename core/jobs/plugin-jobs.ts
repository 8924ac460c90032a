import type { HookRegistry, Job as PluginJob, JobInit, PullJobs, PushJobs, TaskRegistry } from 'sluice/sdk'
import { Job, jobNotices } from 'sluice/sdk/host'
import type { JobMeters } from './job-meters.ts'

type PluginJobsOptions = {
  readonly hooks: Pick<HookRegistry, 'notify'>
  readonly meters: JobMeters
  readonly pulls: PullJobs
  readonly pushes: PushJobs
}

/** The jobs as plugins reach them. */
export class PluginJobs {
  readonly pulls: PullJobs
  readonly pushes: PushJobs
  readonly #options: PluginJobsOptions

  constructor(options: PluginJobsOptions) {
    this.#options = options
    this.pulls = options.pulls
    this.pushes = options.pushes
  }

  /** Starts a job of a plugin, as one of its tasks. */
  start(tasks: TaskRegistry, init: JobInit): PluginJob {
    const { hooks, meters } = this.#options
    const { kind, plugin } = init.task
    return new Job({ ...init, tasks, meter: meters.of(kind, plugin), notices: jobNotices(hooks) })
  }
}
