import { InvalidRequest, messageOf, type EndedTask, type Task, type TaskInit } from 'sluice/sdk'
import { shownDescription, shownText } from 'sluice/sdk/host'
import type { Logger } from 'pino'
import { TASK_STATE, TASK_TYPE, taskNode, type TaskControl, type TaskNode } from './task-node.ts'

/** The reason of the end of a task that was neither stopped nor failed. */
const DONE = 'done'

type RunningTaskOptions = {
  readonly id: number
  readonly init: TaskInit
  readonly log: Logger
  /** Called at the end of each run of the task. */
  readonly onEnd: (task: RunningTask, reason: string) => void
}

/** A task of the tree: its work runs once, and again at each restart. */
export class RunningTask implements Task, TaskControl {
  readonly id: number
  readonly done: Promise<void>
  readonly #options: RunningTaskOptions
  readonly #log: Logger
  #controller = new AbortController()
  #restarting = false
  #startTime = new Date()
  #startReason = ''
  #description: NonNullable<TaskInit['description']>

  constructor(options: RunningTaskOptions) {
    const { id, init, log } = options
    this.id = id
    this.#description = init.description ?? {}
    this.#options = options
    this.#log = log.child({ task: id, owner: init.owner })
    this.done = this.#run()
  }

  get #stopping(): boolean {
    return this.#controller.signal.aborted
  }

  stop(reason = 'stopped'): void {
    this.#restarting = false
    this.#controller.abort(new Error(reason))
  }

  restart(): void {
    if (this.#stopping) throw new InvalidRequest('the task is being stopped')
    this.#restarting = true
    this.#controller.abort(new Error('restart'))
  }

  node(level: number): TaskNode {
    return taskNode({
      id: this.id,
      owner: shownText(this.#options.init.owner),
      level,
      startTime: this.#startTime,
      description: this.#describe(),
      state: this.#stopping ? TASK_STATE.disposing : TASK_STATE.running,
      startReason: this.#startReason,
    })
  }

  /** The notice of its run that has ended. */
  ended(parentId: number, reason: string): EndedTask {
    return {
      kind: 'task',
      id: this.id,
      type: TASK_TYPE.task,
      owner: shownText(this.#options.init.owner),
      startTime: this.#startTime,
      endTime: new Date(),
      parentId,
      reason: shownText(reason),
      description: () => this.#describe(),
    }
  }

  async #run(): Promise<void> {
    do {
      if (this.#restarting) this.#renew()
      const reason = await this.#runOnce()
      this.#options.onEnd(this, reason)
    } while (this.#restarting)
  }

  #renew(): void {
    this.#restarting = false
    this.#controller = new AbortController()
    this.#startTime = new Date()
    this.#startReason = 'restart'
  }

  /** Runs the work once, and returns the reason of its end. */
  async #runOnce(): Promise<string> {
    const { signal } = this.#controller
    try {
      await this.#options.init.run(signal)
      return signal.aborted ? messageOf(signal.reason) : DONE
    } catch (err) {
      if (!signal.aborted) this.#log.error({ err }, 'task failed')
      else if (err !== signal.reason && !isAbortError(err)) this.#log.warn({ err }, 'task failed while it was stopped')
      return messageOf(signal.aborted ? signal.reason : err)
    }
  }

  /**
   * Returns the description. When it throws, the error is logged and this description is not shown any more; those of other
   * tasks are.
   */
  #describe(): Readonly<Record<string, string>> {
    const description = this.#description
    try {
      return shownDescription(typeof description === 'function' ? description() : description)
    } catch (err) {
      this.#description = {}
      this.#log.error({ err }, 'the description of a task failed')
      return {}
    }
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
