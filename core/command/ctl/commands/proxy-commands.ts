import { Answer } from '../answer.ts'
import type { Command } from '../command.ts'
import { table, type Column } from '../../terminal/table.ts'

type Proxy = { readonly kind: 'pull' | 'push'; readonly answer: Answer }

/** By number, as api.md 3.4 has them. */
const STATES = { pull: ['offline', 'online', 'pulling', 'off'], push: ['offline', 'online', 'pushing', 'off'] }

const COLUMNS: readonly Column<Proxy>[] = [
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'ID', value: ({ answer }) => answer.text('ID'), align: 'right' },
  { title: 'NAME', value: ({ answer }) => answer.text('name') },
  { title: 'STREAM', value: ({ answer }) => answer.text('streamPath') },
  { title: 'STATE', value: ({ kind, answer }) => STATES[kind][answer.number('status')] ?? answer.text('status') },
  { title: 'RTT', value: ({ answer }) => `${answer.number('rtt')} ms`, align: 'right' },
  { title: 'URL', value: ({ kind, answer }) => answer.text(`${kind}URL`) },
]

/** Pull and push proxies (api.md 3.1, 3.2). */
export const PROXY_COMMANDS: readonly Command[] = [
  {
    name: 'proxies',
    summary: 'pull and push proxies',
    async run({ api, output }) {
      const [pull, push] = await Promise.all([api.get('/api/proxy/pull/list'), api.get('/api/proxy/push/list')])
      const proxies = () => [
        ...Answer.listOf(pull).map((answer): Proxy => ({ kind: 'pull', answer })),
        ...Answer.listOf(push).map((answer): Proxy => ({ kind: 'push', answer })),
      ]
      output.show({ pull, push }, (width) => table(COLUMNS, proxies(), width))
    },
  },
]
