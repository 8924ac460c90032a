import { Answer } from '../answer.ts'
import type { Command } from '../command.ts'
import { CommandError } from '../../command-error.ts'

/** The commands for the login of the caller (api.md 2). */
export const LOGIN_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    args: ['[USER]'],
    summary: 'log in, and keep the token for this server',
    details: 'Asks for what is not given; where there is no terminal, the lines of the input are the answers.',
    async run({ api, args: [user], output, prompt, tokens }) {
      const username = user ?? (await prompt.ask('User'))
      const password = await prompt.askSecret('Password')
      const answer = new Answer(await api.post('/api/auth/login', { username, password }))
      const token = answer.text('token')
      if (token === '') throw new CommandError('the server gave no token')
      await tokens.set(api.server, token)
      output.done(`Logged in to ${api.server} as ${answer.object('userInfo').text('username')}`)
    },
  },
  {
    name: 'logout',
    summary: 'end what login began, and forget its token',
    async run({ api, output, tokens }) {
      const token = await tokens.get(api.server)
      if (token === undefined) throw new CommandError(`not logged in to ${api.server}`)
      try {
        await api.post('/api/auth/logout', { token })
      } finally {
        // The token is removed here even when the server is away.
        await tokens.remove(api.server)
      }
      output.done(`Logged out of ${api.server}`)
    },
  },
]
