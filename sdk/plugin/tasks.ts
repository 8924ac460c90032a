/** Long-lived work of a plugin. It ends when the plugin does, at the latest. */
export type TaskInit = {
  /** The object of the work, for example a stream path; operators see it. */
  readonly owner: string
  /** The texts for operators, without the secrets of addresses; a function is called for each list of the tasks. */
  readonly description?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>)
  /** Does the work until `signal` aborts. Returning ends the task; a rejection does, too, and is logged with the owner. */
  run(signal: AbortSignal): Promise<void>
}

/** A task that was started. */
export interface Task {
  readonly id: number
  /** Settles when the task has ended; never rejects. */
  readonly done: Promise<void>
  /** Aborts the signal of its work. */
  stop(reason?: string): void
}

/**
 * A node of the task tree that has ended, as the notice `ended` reports it: one run of a task, a publisher, or a subscriber
 * that was attached to a stream. Its texts are those of the tree: without the secrets of addresses, and bounded.
 */
export type EndedTask = {
  readonly kind: 'task' | 'publisher' | 'subscriber'
  /** The id in the task tree; that of the session for a publisher and a subscriber. A task that is restarted keeps its own. */
  readonly id: number
  /** The kind of node, as in the task tree: 0 a task, 1 a job, which has others below it. */
  readonly type: number
  /** The object of the work: a stream path for publishers and subscribers. */
  readonly owner: string
  readonly startTime: Date
  readonly endTime: Date
  /** The id of the node above it: of the plugin, of the publisher, or of the streams. 0 on the fake host where that is no session. */
  readonly parentId: number
  /** `done` for a task that has returned. */
  readonly reason: string
  /** Returns the texts for operators, as they are at the call; call it in the turn of the notice. */
  readonly description: () => Readonly<Record<string, string>>
}

/** The tasks, as a plugin starts them. */
export interface TaskRegistry {
  /** Starts a task, which is stopped when the plugin is unloaded. */
  start(init: TaskInit): Task
}
