import type { Logger } from 'pino'
import type { Dialer, HookRegistry, JobInit, JobOutcome, PullRule, PushRule, TaskRegistry } from 'sluice/sdk'
import { Job, jobNotices } from 'sluice/sdk/host'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { TaskTree } from '../observe/task-tree.ts'
import { JobMeters } from './job-meters.ts'

/** The parts of the server that pulls and pushes need. */
export type ServiceJobParts = {
  readonly log: Logger
  readonly services: { get(name: string): unknown }
  readonly tasks: Pick<TaskTree, 'registryFor'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  /** @param proxy the address of the proxy; empty for none */
  readonly dialer: (proxy: string) => Dialer
  readonly meters?: JobMeters
}

type ServiceJobInit<Service> = Pick<JobInit, 'isWanted' | 'movedBytes' | 'failed' | 'after'> & {
  readonly wish: { readonly plugin: string; readonly streamPath: string; readonly rule: PullRule | PushRule }
  readonly origin: string
  /** The address, without secrets. */
  readonly url: string
  /** Tries once. `isReplaced` returns true once a newer generation has the service. */
  readonly attempt: (service: Service, signal: AbortSignal, isReplaced: () => boolean) => Promise<JobOutcome>
}

type StartParts = { tasks: TaskRegistry; hooks: Pick<HookRegistry, 'notify'>; meters: JobMeters }

/** Starts a job that is shown in the task tree, counted, and reported by notices. */
export function startJob(init: JobInit, { tasks, hooks, meters }: StartParts): Job {
  const { kind, plugin } = init.task
  return new Job({ ...init, tasks, meter: meters.of(kind, plugin), notices: jobNotices(hooks) })
}

/** Starts the jobs of one kind, which the services of plugins do. */
export class ServiceJobs<Service extends { readonly headerless?: boolean }> {
  readonly dialer: ServiceJobParts['dialer']
  readonly #kind: 'pull' | 'push'
  readonly #parts: ServiceJobParts
  readonly #start: StartParts

  constructor(kind: 'pull' | 'push', parts: ServiceJobParts) {
    const { log, tasks, hooks, dialer, meters = new JobMeters() } = parts
    this.dialer = dialer
    this.#kind = kind
    this.#parts = parts
    const owner = { plugin: kind === 'pull' ? 'pulls' : 'pushes', log }
    this.#start = { tasks: tasks.registryFor(owner), hooks: hooks.registryFor({ plugin: 'global', log }), meters }
  }

  /** The present service of a plugin; each try uses that of the newest generation. */
  service(plugin: string): Service | undefined {
    // Plugins can provide a service of such a name only with this type.
    return this.#parts.services.get(`${this.#kind}:${plugin}`) as Service | undefined
  }

  /** Starts a job; when its plugin is replaced meanwhile, it goes on by the service of the next generation. */
  start({ wish: { plugin, streamPath, rule }, origin, url, attempt, ...rest }: ServiceJobInit<Service>): Job {
    const kind = this.#kind
    const init: JobInit = {
      ...rest,
      log: this.#parts.log.child({ plugin, stream: streamPath, url }),
      task: { kind, streamPath, plugin, description: url },
      description: { kind, protocol: plugin, url, origin },
      policy: rule,
      attempt: async (signal) => {
        const service = this.service(plugin)
        const does = kind === 'pull' ? 'pulls' : 'pushes'
        if (service === undefined) return { failure: `there is no plugin that ${does} by ${plugin} at present` }
        job.checkHeader(rule.header, service)
        const isReplaced = () => ![service, undefined].includes(this.service(plugin))
        try {
          return await attempt(service, signal, isReplaced)
        } catch (error) {
          if (!signal.aborted && isReplaced()) return 'replaced'
          throw error
        }
      },
    }
    const job = startJob(init, this.#start)
    return job
  }
}
