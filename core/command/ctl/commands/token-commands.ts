import { Answer } from '../answer.ts'
import type { Command } from '../command.ts'
import { CtlError } from '../ctl-error.ts'
import { fieldLines, table, type Column } from '../output/table.ts'

const COLUMNS: readonly Column<Answer>[] = [
  { title: 'ID', value: (token) => token.text('id'), align: 'right' },
  { title: 'NAME', value: (token) => token.text('name') },
  { title: 'ROLE', value: (token) => token.text('role') },
  { title: 'USED', value: (token) => token.text('usedAt') },
  { title: 'VALID UNTIL', value: (token) => token.text('expiresAt') },
]

/** The tokens of programs. */
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
      'valid-for': { summary: 'a duration such as 720h; for ever unless given', value: 'TIME' },
    },
    async run({ api, args: [name = ''], options, output }) {
      const { role = 'user', 'valid-for': validFor } = options
      const made = await api.post('/api/token/add', { name, role, ...(validFor !== undefined && { validFor }) })
      output.show(made, () => fieldLines([['Token', new Answer(made).text('token')]]))
    },
  },
  {
    name: 'tokens remove',
    args: ['ID'],
    summary: 'remove a token, which is then of no use any more',
    async run({ api, args: [id = ''], output }) {
      if (!/^\d+$/u.test(id)) throw new CtlError('usage', `"${id}" is no id; sluice ctl tokens list has them`)
      await api.post(`/api/token/remove/${id}`, {}, `there is no token ${id}`)
      output.say(`Removed token ${id}`)
    },
  },
]
