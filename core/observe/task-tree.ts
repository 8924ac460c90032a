import type { Task, TaskInit, TaskRegistry } from 'sluice/sdk'
import type { Logger } from 'pino'

/** Whose tasks they are: one generation of a plugin. Known by identity. */
export type TaskOwner = {
  readonly plugin: string
  readonly generation: number
  readonly log: Logger
}

/** A node with the fields that the administration API is to show of it (api.md 3.3); no route does yet. */
export type TaskNode = {
  readonly id: number
  readonly type: number
  readonly owner: string
  readonly startTime: string
  readonly description: Readonly<Record<string, string>>
  readonly children: readonly TaskNode[]
  readonly state: number
  readonly blocked: TaskNode | null
  readonly pointer: number
  readonly startReason: string
  readonly eventLoopRunning: boolean
  readonly level: number
}

/** Values of `TaskNode.state` that occur here (api.md 3.4). */
const STATE = { running: 3, disposing: 5 } as const
/** Values of `TaskNode.type` that occur here. */
const TYPE = { task: 0, job: 1 } as const

const ROOT_ID = 1

type Branch = {
  readonly id: number
  readonly owner: TaskOwner
  readonly startTime: Date
  readonly tasks: Map<number, RunningTask>
}

/** The long-lived work of the server: a root, below it the plugins' generations, below them their tasks. */
export class TaskTree {
  readonly #startTime = new Date()
  readonly #branches = new Map<TaskOwner, Branch>()
  #nextId = ROOT_ID + 1

  /** Shows the owner in the tree and starts its tasks. */
  registryFor(owner: TaskOwner): TaskRegistry {
    const branch: Branch = { id: this.#nextId++, owner, startTime: new Date(), tasks: new Map() }
    this.#branches.set(owner, branch)
    return { start: (init) => this.#start(branch, init) }
  }

  /** Stops the owner's tasks and takes it out of the tree; settles when all have ended. */
  async stopOwner(owner: TaskOwner, reason: string): Promise<void> {
    const tasks = [...(this.#branches.get(owner)?.tasks.values() ?? [])]
    for (const task of tasks) task.stop(reason)
    await Promise.all(tasks.map((task) => task.done))
    this.#branches.delete(owner)
  }

  /** Stops a task; false when there is none with this id. */
  stop(id: number, reason = 'stopped by operator'): boolean {
    const task = this.#find(id)
    task?.stop(reason)
    return task !== undefined
  }

  /** Stops a task and runs it anew under the same id; false when there is none. */
  restart(id: number): boolean {
    return this.#find(id)?.restart() ?? false
  }

  snapshot(): TaskNode {
    const description = { pid: String(process.pid) }
    const branches = [...this.#branches.values()].map(branchNode)
    return node({ id: ROOT_ID, owner: 'server', startTime: this.#startTime, description, children: branches, level: 0 })
  }

  #find(id: number): RunningTask | undefined {
    for (const { tasks } of this.#branches.values()) {
      const task = tasks.get(id)
      if (task !== undefined) return task
    }
    return undefined
  }

  #start(branch: Branch, init: TaskInit): Task {
    if (!this.#branches.has(branch.owner)) throw new Error(`plugin '${branch.owner.plugin}' is unloaded`)
    const task = new RunningTask(this.#nextId++, init, branch.owner.log)
    branch.tasks.set(task.id, task)
    void task.done.then(() => branch.tasks.delete(task.id))
    return task
  }
}

class RunningTask implements Task {
  readonly id: number
  readonly init: TaskInit
  readonly done: Promise<void>
  readonly #log: Logger
  #controller = new AbortController()
  #restarting = false
  startTime = new Date()
  startReason = ''

  constructor(id: number, init: TaskInit, log: Logger) {
    this.id = id
    this.init = init
    this.#log = log.child({ task: id, owner: init.owner })
    this.done = this.#run()
  }

  get stopping(): boolean {
    return this.#controller.signal.aborted
  }

  stop(reason = 'stopped'): void {
    this.#restarting = false
    this.#controller.abort(new Error(reason))
  }

  /** False when it is being stopped already. */
  restart(): boolean {
    if (this.stopping) return false
    this.#restarting = true
    this.#controller.abort(new Error('restarted by operator'))
    return true
  }

  async #run(): Promise<void> {
    do {
      if (this.#restarting) this.#renew()
      await this.#runOnce()
    } while (this.#restarting)
  }

  #renew(): void {
    this.#restarting = false
    this.#controller = new AbortController()
    this.startTime = new Date()
    this.startReason = 'restart'
  }

  async #runOnce(): Promise<void> {
    const { signal } = this.#controller
    try {
      await this.init.run(signal)
    } catch (err) {
      if (!signal.aborted) this.#log.error({ err }, 'task failed')
      else if (err !== signal.reason && !isAbortError(err)) this.#log.warn({ err }, 'task failed while it was stopped')
    }
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function branchNode(branch: Branch): TaskNode {
  const { id, owner, startTime, tasks } = branch
  const description = { plugin: owner.plugin, generation: String(owner.generation) }
  const children = [...tasks.values()].map(taskNode)
  return node({ id, owner: owner.plugin, startTime, description, children, level: 1 })
}

function taskNode({ id, init, startTime, startReason, stopping }: RunningTask): TaskNode {
  const { owner, description: described = {} } = init
  const description = typeof described === 'function' ? described() : described
  const shown = node({ id, owner, startTime, description, children: [], level: 2 })
  return { ...shown, type: TYPE.task, state: stopping ? STATE.disposing : STATE.running, startReason }
}

type NodeInit = Pick<TaskNode, 'id' | 'owner' | 'description' | 'children' | 'level'> & { readonly startTime: Date }

function node({ id, startTime, ...rest }: NodeInit): TaskNode {
  return {
    id,
    pointer: id,
    type: TYPE.job,
    startTime: startTime.toISOString(),
    state: STATE.running,
    blocked: null,
    startReason: '',
    eventLoopRunning: true,
    ...rest,
  }
}
