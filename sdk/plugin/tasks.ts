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

/** The tasks, as a plugin starts them. */
export interface TaskRegistry {
  /** Starts a task, which is stopped when the plugin is unloaded. */
  start(init: TaskInit): Task
}
