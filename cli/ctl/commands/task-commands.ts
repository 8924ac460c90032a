import { Answer } from '../answer.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../../command-error.ts'
import { ageText } from '../quantities.ts'
import { table, type Column } from '../../terminal/table.ts'

type TreeTask = { readonly task: Answer; readonly depth: number }

/** The texts of the states, by number (api.md 3.4). */
const STATES = ['init', 'starting', 'started', 'running', 'going', 'disposing', 'disposed']

const COLUMNS: readonly Column<TreeTask>[] = [
  { title: 'TASK', value: ({ task, depth }) => `${'  '.repeat(depth)}${task.text('owner')}` },
  { title: 'ID', value: ({ task }) => task.text('pointer'), align: 'right' },
  { title: 'STATE', value: ({ task }) => STATES[task.number('state')] ?? task.text('state') },
  { title: 'UP', value: ({ task }) => ageText(task.text('startTime')), align: 'right' },
  { title: 'ABOUT', value: ({ task }) => descriptionText(task.object('description')) },
]

/** The commands for the task tree of the server (api.md 3.1). */
export const TASK_COMMANDS: readonly Command[] = [
  {
    name: 'tasks',
    summary: 'what the server is busy with, as a tree',
    async run({ api, output }) {
      const root = await api.get('/api/task/tree')
      output.show(root, (width) => table(COLUMNS, [...flattened(new Answer(root), 0)], width))
    },
  },
  {
    name: 'task stop',
    args: ['ID'],
    summary: 'end a task',
    async run({ api, args: [id = ''], output }) {
      if (!/^\d+$/u.test(id)) throw new UsageError(`"${id}" is no id; sluice ctl tasks lists them`)
      await api.post(`/api/task/stop/${id}`, undefined, `there is no task ${id}`)
      output.done(`Stopped task ${id}`)
    },
  },
]

function* flattened(task: Answer, depth: number): Generator<TreeTask> {
  yield { task, depth }
  for (const child of task.list('children')) yield* flattened(child, depth + 1)
}

function descriptionText(description: Answer): string {
  return description.names.map((name) => `${name}: ${description.text(name)}`).join(', ')
}
