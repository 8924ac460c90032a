import { Answer } from '../answer.ts'
import type { Command, CommandContext } from '../command.ts'
import { UsageError } from '../../command-error.ts'
import { table, type Column } from '../../terminal/table.ts'

type Proxy = { readonly kind: 'pull' | 'push'; readonly answer: Answer }

/** The texts of the states, by number (api.md 3.4). */
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

/** The commands for pull and push proxies (api.md 3.1, 3.2). */
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
  {
    name: 'proxy add',
    args: ['NAME', '[URL]'],
    summary: 'look after a camera or another server: fetch what it has, or send it a stream',
    details:
      'Fetches when somebody watches, with its sound. Without URL, it is asked for: other users can see a command line,\nand addresses may have passwords.',
    options: {
      stream: { summary: 'the stream (default pull/ or push/, the protocol, and the id)', value: 'PATH' },
      push: { summary: 'send the stream to URL, instead of fetching it from there' },
      'on-start': { summary: 'begin as soon as the other server is there, and try again for ever' },
      'stop-on-idle': { summary: 'stop fetching when nobody watches any more' },
      'no-audio': { summary: 'without sound' },
    },
    run: addProxy,
  },
  {
    name: 'proxy remove',
    args: ['ID'],
    summary: 'remove a proxy, and end what it does',
    options: { push: { summary: 'of those that send streams elsewhere' } },
    async run({ api, args: [id = ''], options, output }) {
      const kind = kindOf(options)
      if (!/^[1-9]\d{0,9}$/u.test(id)) throw new UsageError(`"${id}" is no id; sluice ctl proxies lists them`)
      await api.post(`/api/proxy/${kind}/remove/${id}`, {}, `there is no ${kind} proxy ${id}`)
      output.done(`Removed ${kind} proxy ${id}`)
    },
  },
]

async function addProxy({ api, args: [name = '', given], options, output, prompt }: CommandContext): Promise<void> {
  const kind = kindOf(options)
  if (kind === 'push' && options['stop-on-idle'] === true) throw new UsageError('--stop-on-idle is not for --push')
  const url = given ?? (await prompt.askSecret(`Address of ${name}`))
  const added = await api.post(`/api/proxy/${kind}/add`, {
    name,
    [`${kind}URL`]: url,
    [`${kind}OnStart`]: options['on-start'] === true,
    audio: options['no-audio'] !== true,
    ...(options['stop-on-idle'] === true && { stopOnIdle: true }),
    ...(options['stream'] !== undefined && { streamPath: options['stream'] }),
  })
  // Older servers answer nothing.
  const id = added === null || added === undefined ? '' : new Answer(added).text('ID')
  output.done(id === '' ? `Added a ${kind} proxy` : `Added ${kind} proxy ${id}`, added)
}

function kindOf(options: CommandContext['options']): Proxy['kind'] {
  return options['push'] === true ? 'push' : 'pull'
}
