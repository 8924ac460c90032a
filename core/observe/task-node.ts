import { Unsupported } from 'sluice/sdk'

/** A node of the task tree, as the administration API shows it (api.md 3.3, TaskNode). */
export type TaskNode = {
  readonly id: number
  readonly type: number
  readonly owner: string
  readonly startTime: string
  readonly description: Readonly<Record<string, string>>
  readonly children: readonly TaskNode[]
  readonly state: number
  readonly blocked: null
  /** The id by which the node is stopped and restarted. */
  readonly pointer: number
  readonly startReason: string
  readonly eventLoopRunning: boolean
  readonly level: number
}

/** The values of `TaskNode.state` that are used here (api.md 3.4). */
export const TASK_STATE = { running: 3, disposing: 5 } as const
/**
 * The values of `TaskNode.type` that are used here: a task, a node with tasks of its own, and a node that only groups
 * others.
 */
export const TASK_TYPE = { task: 0, job: 1, work: 2 } as const

/** The control of a node of the tree. */
export interface TaskControl {
  /**
   * Ends the work of the node, which may take a while.
   * @throws {Unsupported} when it can't be ended separately
   */
  stop(reason: string): void
  /**
   * Ends the work of the node and starts it again under the same id.
   * @throws {Unsupported} when it can't be restarted
   * @throws {InvalidRequest} when it is being stopped
   */
  restart(): void
}

/** A part of the tree whose work is not run by tasks. Its nodes are made for each snapshot. */
export interface TaskBranch {
  snapshot(): TaskNode
  find(id: number): TaskControl | undefined
}

type TaskNodeInit = Pick<TaskNode, 'id' | 'owner' | 'description'> & {
  readonly startTime: Date
  readonly level: number
} & Partial<Pick<TaskNode, 'type' | 'state' | 'startReason' | 'children'>>

/** A node with the fields that all nodes have. Texts of plugins must pass `shownDescription` and `shownText` first. */
export function taskNode({ startTime, ...rest }: TaskNodeInit): TaskNode {
  return {
    pointer: rest.id,
    type: TASK_TYPE.task,
    state: TASK_STATE.running,
    startTime: startTime.toISOString(),
    children: [],
    blocked: null,
    startReason: '',
    eventLoopRunning: true,
    ...rest,
  }
}

/**
 * The control of a node that can be neither stopped nor restarted.
 * @param instead the sentence that describes how to do it instead
 */
export function uncontrolled(instead: string): TaskControl {
  const refuse = () => {
    throw new Unsupported(instead)
  }
  return { stop: refuse, restart: refuse }
}
