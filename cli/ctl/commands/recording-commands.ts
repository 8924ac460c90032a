import { Answer } from '../answer.ts'
import { inPath } from '../api-client.ts'
import type { Command, CommandContext, CommandOptions } from '../command.ts'
import { CommandError, UsageError } from '../../command-error.ts'
import { ageText, bytesText, durationText } from '../quantities.ts'
import { table, type Column } from '../../terminal/table.ts'

/** The types that a plugin records for operators. */
const STARTED_TYPES = ['mp4', 'flv', 'hls']
/** All types, including those that only rules and plans record. */
const TYPES = [...STARTED_TYPES, 'hlsv7']
/** The most recordings that the API lists at a time. */
const NEWEST_COUNT = 10_000

const ACTIVE_COLUMNS: readonly Column<Answer>[] = [
  { title: 'STREAM', value: (recording) => recording.text('streamPath') },
  { title: 'TYPE', value: (recording) => recording.text('type') },
  { title: 'TASK', value: (recording) => recording.text('pointer'), align: 'right' },
  { title: 'UP', value: (recording) => ageText(recording.text('startTime')), align: 'right' },
]

const FILE_COLUMNS: readonly Column<Answer>[] = [
  { title: 'ID', value: (file) => file.text('id'), align: 'right' },
  { title: 'STREAM', value: (file) => file.text('streamPath') },
  { title: 'TYPE', value: (file) => file.text('type') },
  { title: 'FROM', value: (file) => file.text('startTime').replace(/\.\d+/u, '') },
  { title: 'LENGTH', value: lengthText, align: 'right' },
  { title: 'SIZE', value: (file) => bytesText(file.number('size')), align: 'right' },
  { title: 'FILE', value: (file) => file.text('filePath') },
]

const TYPE_OPTION = { summary: `${STARTED_TYPES.join(', ')} (MPEG-TS); mp4 unless given`, value: 'TYPE' }

/** The commands for recordings of streams (api.md 3.1, 6 and 8.1). */
export const RECORDING_COMMANDS: readonly Command[] = [
  {
    name: 'record start',
    args: ['PATH'],
    summary: 'record a stream, until that is stopped or the stream ends',
    details: 'Durations are 30s, 10m or 2h. A stream that is pulled on demand is pulled for it.',
    options: {
      type: TYPE_OPTION,
      fragment: { summary: 'how long each file is; 0s is one file (default 1m)', value: 'DURATION' },
      duration: { summary: 'end after this time', value: 'DURATION' },
      folder: { summary: 'folder below that of the recordings', value: 'FOLDER' },
      name: { summary: 'name of the files, with {stream}, {date} and {time} in it', value: 'NAME' },
    },
    run: startRecording,
  },
  {
    name: 'record stop',
    args: ['PATH'],
    summary: 'end the recordings of a stream; their files are whole then',
    options: { type: { summary: 'those of this type alone', value: 'TYPE' } },
    run: stopRecording,
  },
  {
    name: 'record list',
    summary: 'what is being recorded',
    async run({ api, output }) {
      const active = await api.get('/api/record/list')
      output.show(active, (width) => table(ACTIVE_COLUMNS, Answer.listOf(active), width))
    },
  },
  {
    name: 'record remove',
    args: ['PATH', 'ID'],
    summary: 'delete a file of a stream; asks first at a terminal',
    options: { type: TYPE_OPTION, yes: { summary: 'without asking' } },
    run: removeRecording,
  },
  {
    name: 'recordings',
    args: ['[PATH]'],
    summary: 'files that were recorded, the newest first',
    details:
      'PATH may have * in it, for any text. Times are 2026-01-02T15:04:05 by the clocks of the server, with Z or an offset by these,\n15:04:05 of today, or seconds since 1970. A file that is being written is listed as it is so far.',
    options: {
      from: { summary: 'those that end after this time', value: 'TIME' },
      to: { summary: 'those that begin before this time', value: 'TIME' },
      type: { summary: `${TYPES.join(', ')}; all unless given`, value: 'TYPE' },
    },
    run: listRecordings,
  },
]

async function startRecording({ api, args: [path = ''], options, output }: CommandContext): Promise<void> {
  const type = typeOf(options, STARTED_TYPES) ?? 'mp4'
  const { fragment, duration, folder: filePath, name: fileName } = options
  const given = Object.entries({ fragment, duration, filePath, fileName }).filter(([, value]) => value !== undefined)
  const missing = `nobody publishes ${path}, or the plugin ${type} is off`
  const task = await api.post(`/${type}/api/start/${inPath(path)}`, Object.fromEntries(given), missing)
  output.done(`Recording ${path} as ${type}`, task)
}

async function stopRecording({ api, args: [path = ''], options, output }: CommandContext): Promise<void> {
  const type = typeOf(options, TYPES)
  const active = Answer.listOf(await api.get('/api/record/list')).filter((recording) => {
    return recording.text('streamPath') === path && (type ?? recording.text('type')) === recording.text('type')
  })
  // The API accepts a stop of a recording that does not exist (api.md 6), which would hide a typing error.
  if (active.length === 0) throw new CommandError(`${path} is not being recorded; sluice ctl record list tells what is`)
  const types = [...new Set(active.map((recording) => recording.text('type')))]
  for (const each of types) {
    if (STARTED_TYPES.includes(each)) await api.post(`/${each}/api/stop/${inPath(path)}`, {})
    else for (const task of tasksOf(active, each)) await api.post(`/api/task/stop/${task}`)
  }
  output.done(`Stopped recording ${path} as ${types.join(', ')}`)
}

async function removeRecording({
  api,
  args: [path = '', id = ''],
  options,
  output,
  prompt,
}: CommandContext): Promise<void> {
  if (!/^[1-9]\d{0,9}$/u.test(id)) throw new UsageError(`"${id}" is no id; sluice ctl recordings ${path} lists them`)
  const type = typeOf(options, TYPES) ?? 'mp4'
  if (options['yes'] !== true) await prompt.confirm(`Delete ${type} recording ${id} of ${path}?`)
  const removed = await api.post(`/api/record/${type}/delete/${inPath(path)}`, { ids: [Number(id)] })
  if (Answer.listOf(removed).length === 0) {
    throw new CommandError(`${path} has no ${type} recording ${id} that is whole; sluice ctl recordings lists them`)
  }
  output.done(`Deleted ${type} recording ${id} of ${path}`, removed)
}

async function listRecordings({ api, args: [path], options, output }: CommandContext): Promise<void> {
  const type = typeOf(options, TYPES)
  const query = new URLSearchParams({ pageSize: String(NEWEST_COUNT) })
  if (typeof options['from'] === 'string') query.set('start', options['from'])
  if (typeof options['to'] === 'string') query.set('end', options['to'])
  const lists = (type === undefined ? TYPES : [type]).map((each) => {
    const list = `/api/record/${each}/list${path === undefined ? '' : `/${inPath(path)}`}`
    return api.get(`${list}?${query.toString()}`)
  })
  const files = (await Promise.all(lists)).flatMap((list) => Answer.listOf(list)).toSorted(newestFirst)
  const json = files.map((file) => file.json)
  output.show(json, (width) => table(FILE_COLUMNS, files, width))
}

function newestFirst(one: Answer, other: Answer): number {
  return Date.parse(other.text('startTime')) - Date.parse(one.text('startTime'))
}

function tasksOf(active: readonly Answer[], type: string): string[] {
  return active.filter((recording) => recording.text('type') === type).map((recording) => recording.text('pointer'))
}

function lengthText(file: Answer): string {
  return file.is('isActive') ? 'goes on' : durationText(file.number('duration'))
}

/** Returns the type of the options. @throws {UsageError} when there is no such type */
function typeOf({ type }: CommandOptions, types: readonly string[]): string | undefined {
  if (type === undefined || (typeof type === 'string' && types.includes(type))) return type
  throw new UsageError(`--type is ${types.join(', ')}, and not "${String(type)}"`)
}
