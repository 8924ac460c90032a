import { Answer } from '../answer.ts'
import { inPath } from '../api-client.ts'
import type { Command, CommandContext } from '../command.ts'
import { UsageError } from '../../command-error.ts'
import { table, type Column } from '../../terminal/table.ts'
import { parseWeekHours, weekHoursText } from '../week-hours.ts'

const COLUMNS: readonly Column<Answer>[] = [
  { title: 'ID', value: (plan) => plan.text('id'), align: 'right' },
  { title: 'NAME', value: (plan) => plan.text('name') },
  { title: 'ON', value: (plan) => (plan.is('enable') ? 'yes' : 'no') },
  { title: 'HOURS', value: (plan) => weekHoursText(plan.text('plan')) },
]

const STREAM_COLUMNS: readonly Column<Answer>[] = [
  { title: 'PLAN', value: (stream) => stream.text('planId'), align: 'right' },
  { title: 'STREAM', value: (stream) => stream.text('streamPath') },
  { title: 'TYPE', value: (stream) => stream.text('recordType') },
  { title: 'FILES OF', value: (stream) => stream.text('fragment') },
  { title: 'FOLDER', value: (stream) => stream.text('filePath') },
  { title: 'ON', value: (stream) => (stream.is('enable') ? 'yes' : 'no') },
]

/** The commands for plans, the hours of the week in which streams are recorded (api.md 8.5). */
export const PLAN_COMMANDS: readonly Command[] = [
  {
    name: 'plans',
    summary: 'hours of the week in which streams are recorded',
    async run({ api, output }) {
      const plans = await api.get('/plan/api/list')
      output.show(plans, (width) => table(COLUMNS, Answer.listOf(plans), width))
    },
  },
  {
    name: 'plan add',
    args: ['NAME', 'HOURS'],
    summary: 'add a plan',
    details:
      'HOURS are "mon-fri 8-18, sat 10-14", "22-6" (every night), "always", or the 168 characters of the API;\nby the clocks of the server.',
    options: { off: { summary: 'it is kept, and records nothing before it is turned on' } },
    async run({ api, args: [name = '', hours = ''], options, output }) {
      const plan = parseWeekHours(hours)
      const added = await api.post('/plan/api/add', { name, plan, enable: options['off'] !== true })
      // Older servers answer nothing.
      const id = added === null || added === undefined ? '' : ` ${new Answer(added).text('id')}`
      output.done(`Added plan${id}`, added)
    },
  },
  { name: 'plan on', args: ['ID'], summary: 'turn a plan on', run: (context) => turn(context, true) },
  { name: 'plan off', args: ['ID'], summary: 'turn a plan off', run: (context) => turn(context, false) },
  {
    name: 'plan remove',
    args: ['ID'],
    summary: 'remove a plan; what was recorded stays',
    async run({ api, args: [id = ''], output }) {
      await api.post(`/plan/api/remove/${checkId(id)}`, {}, noPlan(id))
      output.done(`Removed plan ${id}`)
    },
  },
  {
    name: 'plan streams',
    args: ['[ID]'],
    summary: 'which streams plans record',
    async run({ api, args: [id], output }) {
      const streams = await api.get(`/planstream/api/list${id === undefined ? '' : `?planId=${checkId(id)}`}`)
      output.show(streams, (width) => table(STREAM_COLUMNS, Answer.listOf(streams), width))
    },
  },
  {
    name: 'plan attach',
    args: ['ID', 'PATH'],
    summary: 'have a plan record a stream',
    options: {
      type: { summary: 'mp4 (the default), flv, hls or hlsv7', value: 'TYPE' },
      fragment: { summary: 'how long each file is (default 1m)', value: 'DURATION' },
      folder: { summary: 'folder below that of the recordings', value: 'FOLDER' },
    },
    async run({ api, args: [id = '', streamPath = ''], options, output }) {
      const { type: recordType, fragment, folder: filePath } = options
      const given = Object.entries({ recordType, fragment, filePath }).filter(([, value]) => value !== undefined)
      const body = { planId: Number(checkId(id)), streamPath, enable: true, ...Object.fromEntries(given) }
      await api.post('/planstream/api/add', body, noPlan(id))
      output.done(`Plan ${id} records ${streamPath}`)
    },
  },
  {
    name: 'plan detach',
    args: ['ID', 'PATH'],
    summary: 'have a plan record a stream no longer',
    async run({ api, args: [id = '', path = ''], output }) {
      const missing = `plan ${id} does not record ${path}; sluice ctl plan streams tells what plans record`
      await api.post(`/planstream/api/remove/${checkId(id)}/${inPath(path)}`, {}, missing)
      output.done(`Plan ${id} no longer records ${path}`)
    },
  },
]

async function turn({ api, args: [id = ''], output }: CommandContext, enable: boolean): Promise<void> {
  await api.post(`/plan/api/update/${checkId(id)}`, { enable }, noPlan(id))
  output.done(`Plan ${id} is ${enable ? 'on' : 'off'}`)
}

function checkId(id: string): string {
  if (!/^[1-9]\d{0,9}$/u.test(id)) throw new UsageError(`"${id}" is no id; sluice ctl plans lists them`)
  return id
}

function noPlan(id: string): string {
  return `there is no plan ${id}; sluice ctl plans lists them`
}
