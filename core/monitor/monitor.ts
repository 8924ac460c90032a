import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { HookRegistry } from 'sluice/sdk'
import type { ProcessIds } from '../base/process-ids.ts'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { ListenerPool } from '../net/listener-pool.ts'
import { TASK_TYPE, taskNode } from '../observe/task-node.ts'
import type { TaskTree } from '../observe/task-tree.ts'
import type { Store } from '../store/store.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { ListenerBranch } from './listener-branch.ts'
import { MONITOR_MIGRATIONS, type MonitorTables } from './monitor-tables.ts'
import { Runs } from './runs.ts'
import { publisherDescription, subscriberDescription } from './session-description.ts'
import { StreamBranch } from './stream-branch.ts'
import { TaskHistory } from './task-history.ts'

/** How long a server that stops waits for its last rows to be written. */
const CLOSE_MS = 500

type MonitorOptions = {
  readonly log: Logger
  readonly store: Pick<Store, 'tables' | 'onAvailable'>
  readonly tasks: TaskTree
  readonly ids: ProcessIds
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly streams: StreamRegistry
  readonly pool: ListenerPool
  readonly startTime: () => Date
  /** `global.taskhistory` */
  readonly keepsHistory: () => boolean
}

/** What operators look at and what is kept of it: the task tree, the runs of the server, and the tasks that have ended. */
export class Monitor {
  readonly tasks: TaskTree
  readonly runs: Runs
  readonly history: TaskHistory
  #ending: Promise<void> = Promise.resolve()

  constructor({ log, store, tasks, ids, hooks, streams, pool, startTime, keepsHistory }: MonitorOptions) {
    const db = store.tables<MonitorTables>('sluice_monitor', MONITOR_MIGRATIONS)
    this.tasks = tasks
    this.runs = new Runs({ log, db, store, startTime })
    this.history = new TaskHistory({ log, db, store, runId: () => this.runs.id(), isOn: keepsHistory })
    const branch = new StreamBranch({ streams, ids })
    tasks.addBranch(branch)
    tasks.addBranch(new ListenerBranch({ pool, ids }))
    tasks.onEnd(({ node, ...ended }) => this.history.add({ kind: 'task', node, ...ended }))
    keepSessions(this.history, { streams, hooks: hooks.registryFor({ plugin: 'global', log }), parentId: branch.id })
  }

  /** Begins to write; nothing waits for that. */
  begin(): void {
    this.runs.begin()
  }

  /** The server begins to stop, which is the end of this run. */
  end(): void {
    this.#ending = this.runs.end()
  }

  /** Waits a little for the end of the run and the last tasks to be written. */
  async close(): Promise<void> {
    const endMs = performance.now() + CLOSE_MS
    await Promise.race([this.#ending, delay(CLOSE_MS, undefined, { ref: false })])
    await this.history.close(Math.max(0, endMs - performance.now()))
    await this.runs.close()
  }
}

type SessionSource = {
  readonly streams: Pick<StreamRegistry, 'get'>
  readonly hooks: HookRegistry
  /** Of the publishers. */
  readonly parentId: number
}

/** Has the history keep the publishers and the subscribers that end. */
function keepSessions(history: TaskHistory, { streams, hooks, parentId }: SessionSource): void {
  hooks.on('published', ({ path }) => {
    const publisher = streams.get(path)?.publisher
    publisher?.onClose(({ text }) => {
      const { id, startTime } = publisher
      const description = publisherDescription(publisher)
      const node = () => taskNode({ id, type: TASK_TYPE.job, owner: path, startTime, level: 2, description })
      history.add({ kind: 'publisher', node, parentId, reason: text })
    })
  })
  hooks.on('unsubscribed', (subscriber, { text }) => {
    const { id, streamPath, sourcePath, startTime } = subscriber
    const description = subscriberDescription(subscriber)
    const node = () => taskNode({ id, owner: streamPath, startTime, level: 3, description })
    const parent = streams.get(sourcePath)?.publisher?.id ?? parentId
    history.add({ kind: 'subscriber', node, parentId: parent, reason: text })
  })
}
