import { Answer } from '../answer.ts'
import type { Command } from '../command.ts'
import { table, type Column } from '../../terminal/table.ts'

/** The texts of the states, by number (api.md 3.4). */
const STATES = ['the stream is absent', 'live', 'a stream of that name is live']

const COLUMNS: readonly Column<Answer>[] = [
  { title: 'ALIAS', value: (alias) => alias.text('alias') },
  { title: 'STREAM', value: (alias) => alias.text('streamPath') },
  { title: 'STATE', value: (alias) => STATES[alias.number('status')] ?? alias.text('status') },
  { title: 'REMOVED WITH IT', value: (alias) => (alias.is('autoRemove') ? 'yes' : 'no') },
]

/** The commands for aliases, second names of streams (api.md 3.1). */
export const ALIAS_COMMANDS: readonly Command[] = [
  {
    name: 'alias list',
    summary: 'second names of streams',
    async run({ api, output }) {
      const aliases = await api.get('/api/stream/alias/list')
      output.show(aliases, (width) => table(COLUMNS, Answer.listOf(aliases), width))
    },
  },
  {
    name: 'alias set',
    args: ['ALIAS', 'PATH'],
    summary: 'give a stream a second name, or the name another stream',
    options: { 'auto-remove': { summary: 'remove it when the publisher of the stream ends' } },
    async run({ api, args: [alias = '', path = ''], options, output }) {
      const autoRemove = options['auto-remove'] === true
      await api.post('/api/stream/alias', { alias, streamPath: path, autoRemove })
      output.done(`${alias} is ${path} now`)
    },
  },
  {
    name: 'alias remove',
    args: ['ALIAS'],
    summary: 'remove a second name',
    async run({ api, args: [alias = ''], output }) {
      await api.post('/api/stream/alias', { alias, streamPath: '' }, `there is no alias ${alias}`)
      output.done(`Removed ${alias}`)
    },
  },
]
