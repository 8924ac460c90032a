import type { Job, JobInit, PluginDirectory, TaskRegistry } from 'sluice/sdk'
import type { OwnedMetrics } from 'sluice/sdk/host'
import type { StreamRegistry } from '../stream/registry.ts'
import { JobMeters } from './job-meters.ts'
import { PullManager } from './pull-manager.ts'
import { PushManager } from './push-manager.ts'
import { startJob, type ServiceJobParts } from './service-job.ts'

type ServerJobsOptions = Omit<ServiceJobParts, 'meters'> & {
  readonly metrics: OwnedMetrics
  readonly streams: StreamRegistry
  readonly plugins: Pick<PluginDirectory, 'rules'>
  /** The folders with files that may be pulled. */
  readonly folders: () => readonly string[]
}

/** The pulls and pushes of the server, and the jobs that plugins start. */
export class ServerJobs {
  readonly pulls: PullManager
  readonly pushes: PushManager
  readonly #meters: JobMeters
  readonly #options: ServerJobsOptions

  constructor(options: ServerJobsOptions) {
    const { metrics, plugins } = options
    this.#options = options
    this.#meters = new JobMeters(metrics)
    const parts = { ...options, meters: this.#meters }
    const pluginsWith = (kind: 'pull' | 'push') => plugins.rules(kind).map(({ plugin }) => plugin)
    this.pulls = new PullManager({ ...parts, plugins: () => pluginsWith('pull') })
    this.pushes = new PushManager({ ...parts, plugins: () => pluginsWith('push') })
  }

  /** Starts a job of a plugin, as one of its tasks. */
  start(tasks: TaskRegistry, init: JobInit): Job {
    const { hooks, log } = this.#options
    const notices = hooks.registryFor({ plugin: 'global', log })
    return startJob(init, { tasks, hooks: notices, meters: this.#meters })
  }

  /** Ends all pulls and pushes, and starts no more. */
  close(reason: string): void {
    this.pulls.close(reason)
    this.pushes.close(reason)
  }
}
