import type { Logger } from 'pino'
import type { Task, TaskInit, TaskRegistry } from '../plugin/tasks.ts'

/** A task of {@link FakeTasks}. */
export type FakeTask = Task & {
  readonly init: TaskInit
  readonly running: boolean
  /** The reason why it was stopped; undefined when it ended by itself or runs. */
  readonly stopReason: string | undefined
}

/** Tasks that really run, and that a test can look at, stop and wait for. */
export class FakeTasks implements TaskRegistry {
  /** All that were started, in order. */
  readonly all: FakeTask[] = []
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  start(init: TaskInit): Task {
    const task = new RunningTask(this.all.length + 1, init, this.#log)
    this.all.push(task)
    return task
  }

  /** Stops all and waits for them. */
  async dispose(): Promise<void> {
    for (const task of this.all) task.stop('unloaded')
    await Promise.all(this.all.map((task) => task.done))
  }
}

class RunningTask implements FakeTask {
  readonly id: number
  readonly init: TaskInit
  readonly done: Promise<void>
  running = true
  stopReason: string | undefined
  readonly #controller = new AbortController()

  constructor(id: number, init: TaskInit, log: Logger) {
    this.id = id
    this.init = init
    this.done = this.#run(log)
  }

  stop(reason = 'stopped'): void {
    if (!this.running || this.stopReason !== undefined) return
    this.stopReason = reason
    this.#controller.abort()
  }

  async #run(log: Logger): Promise<void> {
    try {
      await this.init.run(this.#controller.signal)
    } catch (error) {
      if (!this.#controller.signal.aborted) log.error({ err: error, task: this.id }, 'a task failed')
    }
    this.running = false
  }
}
