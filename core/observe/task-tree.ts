import type { EndedTask, Task, TaskInit, TaskRegistry } from 'sluice/sdk'
import type { Logger } from 'pino'
import { ProcessIds } from '../base/process-ids.ts'
import { RunningTask } from './running-task.ts'
import { TASK_TYPE, taskNode, uncontrolled, type TaskBranch, type TaskControl, type TaskNode } from './task-node.ts'

/** The owner of tasks: one generation of a plugin, or a part of the server. Compared by identity. */
export type TaskOwner = {
  /** The name of the plugin or of the part of the server. */
  readonly plugin: string
  /** The number of the generation; undefined for a part of the server. */
  readonly generation?: number
  readonly log: Logger
}

/** Sends the notice of a task that has ended; `ended` makes the notice, if a plugin taps it. */
type NotifyEnded = (ended: () => EndedTask) => void

type OwnerBranch = {
  readonly id: number
  readonly owner: TaskOwner
  readonly startTime: Date
  readonly tasks: Map<number, RunningTask>
}

/** The levels of nodes in the tree, whose root is on level 0. */
const BRANCH_LEVEL = 1
const TASK_LEVEL = 2

const ROOT = uncontrolled('the server is stopped by /api/shutdown and restarted by /api/restart')
const PART = uncontrolled('tasks are stopped and restarted one by one')
const PLUGIN = uncontrolled(
  'a plugin is stopped by `enable: false` in its section, and begins anew when its file is saved',
)

/**
 * The long-lived work of the server: a root, below it the plugins' generations with their tasks, and branches for work
 * without tasks. Ids are unique among the processes of the server.
 */
export class TaskTree {
  readonly #ids: ProcessIds
  readonly #rootId: number
  readonly #startTime = new Date()
  readonly #owners = new Map<TaskOwner, OwnerBranch>()
  readonly #branches: TaskBranch[] = []
  #notifyEnded: NotifyEnded | undefined

  /** @param ids the source of ids, which sessions use, too, so that each id is unique */
  constructor(ids = new ProcessIds(0)) {
    this.#ids = ids
    this.#rootId = ids.take()
  }

  /** Adds the owner to the tree, and returns the registry that starts its tasks. */
  registryFor(owner: TaskOwner): TaskRegistry {
    const branch: OwnerBranch = { id: this.#ids.take(), owner, startTime: new Date(), tasks: new Map() }
    this.#owners.set(owner, branch)
    return { start: (init) => this.#start(branch, init) }
  }

  /** Stops the owner's tasks and removes it from the tree; settles when all have ended. */
  async stopOwner(owner: TaskOwner, reason: string): Promise<void> {
    const branch = this.#owners.get(owner)
    if (branch === undefined) return
    const tasks = [...branch.tasks.values()]
    for (const task of tasks) task.stop(reason)
    await Promise.all(tasks.map((task) => task.done))
    this.#owners.delete(owner)
    this.#ids.release(branch.id)
  }

  /** Adds a branch for work without tasks. */
  addBranch(branch: TaskBranch): void {
    this.#branches.push(branch)
  }

  /** Calls `notify` for each run of a task that has ended. */
  onEnd(notify: NotifyEnded): void {
    this.#notifyEnded = notify
  }

  /**
   * Returns the control of the node with this id, which need not be among those that the tree shows; undefined where there
   * is none.
   */
  find(id: number): TaskControl | undefined {
    if (id === this.#rootId) return ROOT
    for (const branch of this.#owners.values()) {
      if (branch.id === id) return branch.owner.generation === undefined ? PART : PLUGIN
      const task = branch.tasks.get(id)
      if (task !== undefined) return task
    }
    for (const branch of this.#branches) {
      const found = branch.find(id)
      if (found !== undefined) return found
    }
    return undefined
  }

  snapshot(): TaskNode {
    const owners = [...this.#owners.values()].map(ownerNode)
    return taskNode({
      id: this.#rootId,
      type: TASK_TYPE.job,
      owner: 'server',
      startTime: this.#startTime,
      level: 0,
      description: { pid: String(process.pid) },
      children: [...owners, ...this.#branches.map((branch) => branch.snapshot())],
    })
  }

  #start(branch: OwnerBranch, init: TaskInit): Task {
    if (!this.#owners.has(branch.owner)) throw new Error(`plugin '${branch.owner.plugin}' is unloaded`)
    const id = this.#ids.take()
    const onEnd = (task: RunningTask, reason: string) => this.#notifyEnded?.(() => task.ended(branch.id, reason))
    const task = new RunningTask({ id, init, log: branch.owner.log, onEnd })
    branch.tasks.set(id, task)
    void this.#forget(branch, task)
    return task
  }

  async #forget({ tasks }: OwnerBranch, { id, done }: Task): Promise<void> {
    await done
    tasks.delete(id)
    this.#ids.release(id)
  }
}

function ownerNode({ id, owner, startTime, tasks }: OwnerBranch): TaskNode {
  const { plugin, generation } = owner
  return taskNode({
    id,
    type: TASK_TYPE.job,
    owner: plugin,
    startTime,
    level: BRANCH_LEVEL,
    description:
      generation === undefined
        ? {}
        : {
            plugin,
            generation: String(generation),
          },
    children: [...tasks.values()].map((task) => task.node(TASK_LEVEL)),
  })
}
