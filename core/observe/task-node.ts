import { maskUrl, Unsupported } from 'sluice/sdk'

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
  /** The id that the node is stopped and restarted by. */
  readonly pointer: number
  readonly startReason: string
  readonly eventLoopRunning: boolean
  readonly level: number
}

/** Values of `TaskNode.state` that occur here (api.md 3.4). */
export const TASK_STATE = { running: 3, disposing: 5 } as const
/** Values of `TaskNode.type` that occur here: a task, what has tasks of its own, and what only gathers others. */
export const TASK_TYPE = { task: 0, job: 1, work: 2 } as const

/** What can be done to a node of the tree. */
export interface TaskControl {
  /**
   * Ends it, which may take a while.
   * @throws {Unsupported} when it can't be ended by itself
   */
  stop(reason: string): void
  /**
   * Ends it and begins it anew under the same id.
   * @throws {Unsupported} when it can't be
   * @throws {InvalidRequest} when it is being stopped
   */
  restart(): void
}

/** Work that the tree shows though it is no task. Its nodes are made when somebody looks. */
export interface TaskBranch {
  snapshot(): TaskNode
  find(id: number): TaskControl | undefined
}

/** The most fields that are shown of a description. */
const MAX_FIELDS = 32
/** The longest text that is shown, in UTF-16 code units; what is longer is cut. */
const MAX_TEXT_LENGTH = 500
const ADDRESS = /[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>]+/giu

type TaskNodeInit = Pick<TaskNode, 'id' | 'owner' | 'description'> & {
  readonly startTime: Date
  readonly level: number
} & Partial<Pick<TaskNode, 'type' | 'state' | 'startReason' | 'children'>>

/** A node with what all have. Texts of plugins are to go through {@link shownDescription} and {@link shownText}. */
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

/** A description as operators may see it: bounded, and without secrets. */
export function shownDescription(description: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const fields = Object.entries(description).slice(0, MAX_FIELDS)
  return Object.fromEntries(fields.map(([name, value]) => [shownText(name), shownText(value)]))
}

/** A text as operators may see it: addresses in it without what their user information and queries say, and cut. */
export function shownText(text: string): string {
  return text.replaceAll(ADDRESS, (address) => maskUrl(address)).slice(0, MAX_TEXT_LENGTH)
}

/**
 * Controls nothing: what can be neither stopped nor restarted.
 * @param instead how that is done instead
 */
export function uncontrolled(instead: string): TaskControl {
  const refuse = () => {
    throw new Unsupported(instead)
  }
  return { stop: refuse, restart: refuse }
}
