import type { ProcessIds } from '../../base/process-ids.ts'
import { formatAddress } from '../../net/address.ts'
import type { ListenerPool, ListeningPort } from '../../net/listener-pool.ts'
import {
  TASK_TYPE,
  taskNode,
  uncontrolled,
  type TaskBranch,
  type TaskControl,
  type TaskNode,
} from '../../observe/task-node.ts'

const BRANCH_LEVEL = 1
const LISTENER_LEVEL = 2
const LISTENER = uncontrolled('a listener is opened and closed by the addresses in the config')

type ListenerBranchOptions = { readonly pool: Pick<ListenerPool, 'listening'>; readonly ids: ProcessIds }

/** The ports that are listened on, in the task tree. */
export class ListenerBranch implements TaskBranch {
  readonly #options: ListenerBranchOptions
  readonly #id: number
  readonly #startTime = new Date()
  /** The ids of the ports of the latest snapshot, by key. */
  #ids = new Map<string, number>()

  constructor(options: ListenerBranchOptions) {
    this.#options = options
    this.#id = options.ids.take()
  }

  snapshot(): TaskNode {
    const ports = this.#options.pool.listening().map((port) => ({ port, key: keyOf(port) }))
    this.#giveIds(ports.map(({ key }) => key))
    return taskNode({
      id: this.#id,
      type: TASK_TYPE.work,
      owner: 'listeners',
      startTime: this.#startTime,
      level: BRANCH_LEVEL,
      description: {},
      children: ports.map(({ port: { plugin, kind, host, port, openedAt }, key }) =>
        taskNode({
          id: this.#ids.get(key) ?? 0,
          owner: plugin,
          startTime: openedAt,
          level: LISTENER_LEVEL,
          description: {
            kind: 'listener',
            transport: kind,
            address: formatAddress(host, port),
          },
        }),
      ),
    })
  }

  find(id: number): TaskControl | undefined {
    return id === this.#id || this.#ids.values().some((known) => known === id) ? LISTENER : undefined
  }

  /** Gives new ports an id, and releases the ids of closed ones. */
  #giveIds(keys: readonly string[]): void {
    const { ids } = this.#options
    const known = this.#ids
    this.#ids = new Map(keys.map((key) => [key, known.get(key) ?? ids.take()]))
    for (const [key, id] of known) if (!this.#ids.has(key)) ids.release(id)
  }
}

function keyOf({ plugin, kind, host, port }: ListeningPort): string {
  return `${plugin} ${kind} ${formatAddress(host, port)}`
}
