import { Answer } from '../answer.ts'
import type { Command } from '../command.ts'
import { askNewPassword } from '../../terminal/new-password.ts'
import { table, type Column } from '../../terminal/table.ts'

const COLUMNS: readonly Column<Answer>[] = [
  { title: 'USER', value: (user) => user.text('username') },
  { title: 'ROLE', value: (user) => user.text('role') },
  { title: 'SINCE', value: (user) => user.text('createdAt') },
]

/** The commands for users, who may log in. */
export const USER_COMMANDS: readonly Command[] = [
  {
    name: 'users list',
    summary: 'who may log in',
    async run({ api, output }) {
      const users = await api.get('/api/user/list')
      output.show(users, (width) => table(COLUMNS, Answer.listOf(users), width))
    },
  },
  {
    name: 'users add',
    args: ['NAME'],
    summary: 'add a user; asks for the password',
    details: 'Where there is no terminal, the password is the first line of the input.',
    options: { role: { summary: 'user (looks, the default) or admin (changes, too)', value: 'ROLE' } },
    async run({ api, args: [username = ''], options, output, prompt }) {
      const password = await askNewPassword(prompt, username)
      const added = await api.post('/api/user/add', { username, password, role: options['role'] ?? 'user' })
      output.done(`Added ${username}`, added)
    },
  },
  {
    name: 'users remove',
    args: ['NAME'],
    summary: 'remove a user, and end what they are logged in to',
    async run({ api, args: [username = ''], output }) {
      await api.post('/api/user/remove', { username }, `there is no user ${username}`)
      output.done(`Removed ${username}`)
    },
  },
]
