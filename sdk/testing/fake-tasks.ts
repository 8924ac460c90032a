import type { Logger } from 'pino'
import { messageOf } from '../errors/error-text.ts'
import { shownDescription, shownText } from '../host/shown-text.ts'
import type { EndedTask, Task, TaskInit, TaskRegistry } from '../plugin/tasks.ts'
import type { FakeHooks } from './fake-hooks.ts'

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
  readonly #hooks: Pick<FakeHooks, 'notify'>

  /** @param hooks receive the notice of each task that has ended */
  constructor(log: Logger, hooks: Pick<FakeHooks, 'notify'>) {
    this.#log = log
    this.#hooks = hooks
  }

  start(init: TaskInit): Task {
    const id = this.all.length + 1
    const startTime = new Date()
    const task = new RunningTask(id, init, this.#log, (reason) => {
      void this.#hooks.notify('ended', endedTask(id, init, startTime, reason))
    })
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
  readonly #onEnd: (reason: string) => void

  constructor(id: number, init: TaskInit, log: Logger, onEnd: (reason: string) => void) {
    this.id = id
    this.init = init
    this.#onEnd = onEnd
    this.done = this.#run(log)
  }

  stop(reason = 'stopped'): void {
    if (!this.running || this.stopReason !== undefined) return
    this.stopReason = reason
    this.#controller.abort()
  }

  async #run(log: Logger): Promise<void> {
    let end = 'done'
    try {
      await this.init.run(this.#controller.signal)
    } catch (error) {
      end = messageOf(error)
      if (!this.#controller.signal.aborted) log.error({ err: error, task: this.id }, 'a task failed')
    }
    this.running = false
    this.#onEnd(this.stopReason ?? end)
  }
}

function endedTask(id: number, { owner, description = {} }: TaskInit, startTime: Date, reason: string): EndedTask {
  return {
    kind: 'task',
    id,
    type: 0,
    owner: shownText(owner),
    startTime,
    endTime: new Date(),
    parentId: 0,
    reason: shownText(reason),
    description: () => shownDescription(typeof description === 'function' ? description() : description),
  }
}
