import { Answer } from '../answer.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../../command-error.ts'
import { fieldLines, table, type Column } from '../../terminal/table.ts'

const COLUMNS: readonly Column<Answer>[] = [
  { title: 'ID', value: (token) => token.text('id'), align: 'right' },
  { title: 'NAME', value: (token) => token.text('name') },
  { title: 'ROLE', value: (token) => token.text('role') },
  { title: 'USED', value: (token) => token.text('usedAt') || 'never' },
  { title: 'EXPIRES', value: (token) => token.text('expiresAt') || 'never' },
]

/** The commands for the tokens of programs. */
export const TOKEN_COMMANDS: readonly Command[] = [
  {
    name: 'tokens list',
    summary: 'tokens of programs',
    async run({ api, output }) {
      const tokens = await api.get('/api/token/list')
      output.show(tokens, (width) => table(COLUMNS, Answer.listOf(tokens), width))
    },
  },
  {
    name: 'tokens add',
    args: ['NAME'],
    summary: 'make a token for a program; it is shown once',
    options: {
      role: { summary: 'user (looks, the default) or admin (changes, too)', value: 'ROLE' },
      expires: { summary: 'valid this long, as 90d or 12h; for ever unless given', value: 'TIME' },
    },
    async run({ api, args: [name = ''], options, output }) {
      const { role = 'user', expires } = options
      const made = await api.post('/api/token/add', { name, role, ...(expires !== undefined && { expires }) })
      output.show(made, () => fieldLines([['Token', new Answer(made).text('token')]]))
    },
  },
  {
    name: 'tokens remove',
    args: ['ID'],
    summary: 'remove a token, which is then of no use any more',
    async run({ api, args: [id = ''], output }) {
      if (!/^\d+$/u.test(id)) throw new UsageError(`"${id}" is no id; sluice ctl tokens list has them`)
      await api.post(`/api/token/remove/${id}`, {}, `there is no token ${id}`)
      output.done(`Removed token ${id}`)
    },
  },
]
