/** Long-lived work of a plugin. What it throws is logged with its owner; it ends when the plugin does, at the latest. */
export type TaskInit = {
  /** Who or what it works for, for example a stream path. */
  readonly owner: string
  readonly description?: Readonly<Record<string, string>>
  /** Does the work until the signal aborts. Returning ends the task; a rejection is logged. */
  run(signal: AbortSignal): Promise<void>
}

/** A task that was started. */
export interface Task {
  readonly id: number
  /** Settles when the task has ended; never rejects. */
  readonly done: Promise<void>
  stop(reason?: string): void
}

/** How a plugin starts tasks. */
export interface TaskRegistry {
  /** Starts a task; it is stopped when the plugin is unloaded. */
  start(init: TaskInit): Task
}
