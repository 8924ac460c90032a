import { Int64, StreamNotFound, Type, type OperationAnswer, type OperationRegistry, type Static } from 'sluice/sdk'
import type { TaskControl } from '../../observe/task-node.ts'
import type { TaskTree } from '../../observe/task-tree.ts'

/** Of `CloseReason`, and of the abort of a task (api.md 1.1, message texts). */
const STOPPED = 'stop by user'

const FIELDS = {
  id: Type.Integer(),
  type: Type.Integer({ description: '0 task, 1 job: has tasks of its own, 2 work: gathers others, 3 channel' }),
  owner: Type.String({ description: 'What it works for, for example a stream path, or the name of a plugin' }),
  startTime: Type.String({ format: 'date-time' }),
  description: Type.Record(Type.String(), Type.String()),
  state: Type.Integer({
    description: '0 init, 1 starting, 2 started, 3 running, 4 going, 5 disposing, 6 disposed',
  }),
  blocked: Type.Null({ description: 'A task that it waits for; nothing waits for others here' }),
  pointer: Int64(),
  startReason: Type.String({ description: '`restart` after one' }),
  eventLoopRunning: Type.Boolean(),
  level: Type.Integer({ description: 'Nodes above it' }),
}

// The tree has four levels: the server, plugins and the like, their tasks and publishers, and subscribers.
const Leaf = Type.Object({ ...FIELDS, children: Type.Array(Type.Unknown(), { maxItems: 0 }) })
const Task = Type.Object({ ...FIELDS, children: Type.Array(Leaf) })
const Branch = Type.Object({ ...FIELDS, children: Type.Array(Task) })
/** `TaskNode` of the API. */
const Root = Type.Object({ ...FIELDS, children: Type.Array(Branch) })
type Root = Static<typeof Root>

const ONE_TASK = Type.Object({
  id: Type.String({ pattern: String.raw`^\d{1,20}$`, description: 'The `pointer` of a node of the task tree' }),
})
const REACH = { session: 'id' } as const

/** The task tree, and what is done to its nodes (api.md 3.1). */
export function addTaskOperations(operations: OperationRegistry, tasks: Pick<TaskTree, 'snapshot' | 'find'>): void {
  /** @throws {StreamNotFound} */
  const found = (id: string): TaskControl => {
    const control = tasks.find(Number(id))
    if (control === undefined) throw new StreamNotFound()
    return control
  }

  operations.add({
    method: 'GET',
    path: '/api/task/tree',
    summary: 'Task tree',
    answer: Root,
    reach: { all: joined },
    handle: () => tasks.snapshot(),
  })

  operations.add({
    method: 'POST',
    path: '/api/task/stop/{id}',
    summary: 'Terminate a task, publisher or subscriber; 501 for other nodes of the tree',
    params: ONE_TASK,
    reach: REACH,
    handle: ({ params: { id } }) => found(id).stop(STOPPED),
  })

  operations.add({
    method: 'POST',
    path: '/api/task/restart/{id}',
    summary: 'Restart a task; 501 for other nodes of the tree',
    params: ONE_TASK,
    reach: REACH,
    handle: ({ params: { id } }) => found(id).restart(),
  })
}

/** One tree, as the first process tells it, with the branches of all. */
function joined(trees: readonly OperationAnswer<Root>[]): OperationAnswer<Root> {
  return { ...trees[0], children: trees.flatMap(({ children = [] }) => children) }
}
