import { Answer } from '../answer.ts'
import type { Command, CommandContext } from '../command.ts'
import { cutToWidth } from '../../terminal/display-width.ts'
import { printable } from '../../terminal/printable.ts'
import { ageText, bitRateText } from '../quantities.ts'
import { fieldLines, table, type Column } from '../../terminal/table.ts'

type Plugin = { readonly state: 'running' | 'off'; readonly answer: Answer }

const CONFIRMED = { yes: { summary: 'without asking first' } }

const PLUGIN_COLUMNS: readonly Column<Plugin>[] = [
  { title: 'PLUGIN', value: ({ answer }) => answer.text('name') },
  { title: 'VERSION', value: ({ answer }) => answer.object('description').text('version') },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'TCP', value: ({ answer }) => answer.object('description').text('tcp') },
  { title: 'UDP', value: ({ answer }) => answer.object('description').text('udp') },
  { title: 'REASON', value: ({ answer }) => reasonText(answer.object('description')) },
]

/** The commands for the server as a whole (api.md 3.1, 3.2). */
export const SERVER_COMMANDS: readonly Command[] = [
  {
    name: 'info',
    summary: 'the server, and how busy its machine is',
    async run({ api, output }) {
      const [info, summary] = await Promise.all([api.get('/api/sysinfo'), api.get('/api/summary')])
      const fields = () => infoFields(api.server, new Answer(info), new Answer(summary))
      output.show({ info, summary }, () => fieldLines(fields()))
    },
  },
  {
    name: 'top',
    summary: 'how busy server and machine are, until Ctrl-C',
    run: showTop,
  },
  {
    name: 'plugins',
    summary: 'plugins that run, and why others do not',
    async run({ api, output }) {
      const [info, disabled] = await Promise.all([api.get('/api/sysinfo'), api.get('/api/plugins/disabled')])
      const running = new Answer(info).value('plugins')
      const plugins = () => [
        ...Answer.listOf(running).map((answer): Plugin => ({ state: 'running', answer })),
        ...Answer.listOf(disabled).map((answer): Plugin => ({ state: 'off', answer })),
      ]
      output.show({ running, disabled }, (width) => table(PLUGIN_COLUMNS, plugins(), width))
    },
  },
  {
    name: 'restart',
    summary: 'restart the server; all sessions end',
    options: CONFIRMED,
    run: (context) => end(context, 'restart', 'Restarting'),
  },
  {
    name: 'shutdown',
    summary: 'stop the server; all sessions end',
    options: CONFIRMED,
    run: (context) => end(context, 'shutdown', 'Shutting down'),
  },
]

async function end({ api, options, output, prompt }: CommandContext, how: string, done: string): Promise<void> {
  if (options['yes'] !== true) await prompt.confirm(`${how} ${api.server}?`)
  await api.post(`/api/${how}`)
  output.done(`${done} ${api.server}`)
}

async function showTop({ api, output }: CommandContext): Promise<void> {
  const interrupted = new AbortController()
  const stop = () => interrupted.abort()
  process.once('SIGINT', stop)
  try {
    for await (const summary of api.events('/api/summary/sse', interrupted.signal)) {
      output.refresh(summary, (width) => cutToWidth(printable(topText(new Answer(summary))), width))
    }
  } finally {
    process.off('SIGINT', stop)
    output.endLine()
  }
}

function topText(summary: Answer): string {
  const parts = [...loadFields(summary), ...countFields(summary), ...networkFields(summary)]
  return parts.map(([name, value]) => `${name.toLowerCase()} ${value}`).join('  ')
}

function infoFields(server: string, info: Answer, summary: Answer): (readonly [string, string])[] {
  return [
    ['Server', server],
    ['Version', info.text('version')],
    ['Runs on', [info.text('goVersion'), info.text('os'), info.text('arch')].join(' ')],
    ['Address', info.text('localIP')],
    ['Up', ageText(info.text('startTime'))],
    ['Plugins', String(info.list('plugins').length)],
    ...countFields(summary),
    ...loadFields(summary),
    ...networkFields(summary),
  ]
}

function countFields(summary: Answer): (readonly [string, string])[] {
  return [
    ['Streams', summary.text('streamCount')],
    ['Viewers', summary.text('subscribeCount')],
    ['Pulls', summary.text('pullCount')],
    ['Pushes', summary.text('pushCount')],
  ]
}

function loadFields(summary: Answer): (readonly [string, string])[] {
  return [
    ['CPU', percentText(summary.number('cpuUsage'))],
    ['Memory', percentText(summary.object('memory').number('usage'))],
    ['Disk', percentText(summary.object('hardDisk').number('usage'))],
  ]
}

function networkFields(summary: Answer): (readonly [string, string])[] {
  const interfaces = summary.list('netWork')
  const total = (field: string) => interfaces.reduce((sum, each) => sum + each.number(field), 0)
  return [
    ['In', bitRateText(total('receiveSpeed'))],
    ['Out', bitRateText(total('sentSpeed'))],
  ]
}

function percentText(value: number): string {
  return `${value.toFixed(1)} %`
}

/** Returns the reason for which a plugin does not run, or its last error. */
function reasonText(description: Answer): string {
  return description.text('disableReason') || description.text('lastError')
}
