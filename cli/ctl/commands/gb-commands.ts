import { setTimeout as delay } from 'node:timers/promises'
import { Answer } from '../answer.ts'
import { CommandError, UsageError } from '../../command-error.ts'
import { cutToWidth } from '../../terminal/display-width.ts'
import { printable } from '../../terminal/printable.ts'
import { fieldLines, table, type Column } from '../../terminal/table.ts'
import type { ApiClient } from '../api-client.ts'
import type { Command, CommandContext, CommandOptions } from '../command.ts'
import { ageText, bytesText, durationText } from '../quantities.ts'

const API = '/gb28181/api'
/** The time between two questions how far something is. */
const LOOK_MS = 500
const DEFAULT_SPEED = 50
const MAX_SPEED = 255
/** The largest speed of the zoom, which has four bits. */
const MAX_ZOOM_SPEED = 15
const MAX_PRESET = 255
const NEWEST_ALARMS = 100

/** The directions of `gb ptz`, as parts of the speed. */
const MOVES: Readonly<Record<string, { readonly pan?: number; readonly tilt?: number; readonly zoom?: number }>> = {
  left: { pan: -1 },
  right: { pan: 1 },
  up: { tilt: 1 },
  down: { tilt: -1 },
  in: { zoom: 1 },
  out: { zoom: -1 },
  stop: {},
}

const DEVICE_COLUMNS: readonly Column<Answer>[] = [
  { title: 'DEVICE', value: (device) => device.text('deviceId') },
  { title: 'NAME', value: (device) => device.text('name') },
  { title: 'MODEL', value: modelText },
  { title: 'STATE', value: (device) => (device.is('online') ? 'online' : 'offline') },
  { title: 'CHANNELS', value: (device) => device.text('channelCount'), align: 'right' },
  { title: 'FROM', value: addressText },
  { title: 'MEDIA', value: (device) => device.text('streamMode').toLowerCase() },
  { title: 'HEARD', value: (device) => ageText(device.text('keepAliveTime')), align: 'right' },
]

const CHANNEL_COLUMNS: readonly Column<Answer>[] = [
  { title: 'CHANNEL', value: (channel) => channel.text('channelId') },
  { title: 'NAME', value: (channel) => channel.text('customChannelName') || channel.text('name') },
  { title: 'MODEL', value: modelText },
  { title: 'STATE', value: (channel) => channel.text('status').toLowerCase() },
  { title: 'STREAM', value: (channel) => channel.text('streamPath') },
]

const RECORD_COLUMNS: readonly Column<Answer>[] = [
  { title: 'FROM', value: (record) => record.text('startTime') },
  { title: 'TO', value: (record) => record.text('endTime') },
  { title: 'LENGTH', value: lengthText, align: 'right' },
  { title: 'TYPE', value: (record) => record.text('type') },
  { title: 'NAME', value: (record) => record.text('name') },
]

const ALARM_COLUMNS: readonly Column<Answer>[] = [
  { title: 'TIME', value: (alarm) => alarm.text('alarmTime').replace(/\.\d+/u, '') },
  { title: 'CHANNEL', value: (alarm) => alarm.text('channelId') },
  { title: 'PRIORITY', value: (alarm) => alarm.text('alarmPriorityDesc') },
  { title: 'BY', value: (alarm) => alarm.text('alarmMethodDesc') },
  { title: 'TYPE', value: (alarm) => alarm.text('alarmTypeDesc') },
  { title: 'ABOUT', value: (alarm) => alarm.text('alarmDescription') },
]

const PRESET_COLUMNS: readonly Column<Answer>[] = [
  { title: 'PRESET', value: (preset) => preset.text('presetId'), align: 'right' },
  { title: 'NAME', value: (preset) => preset.text('presetName') },
]

const TIMES =
  'Times are 2026-01-02T15:04:05 by the clocks of the server, with Z or an offset by these, 15:04:05 of today, or\nseconds since 1970.'

/** The commands for cameras and recorders of GB/T 28181 (api.md 7). */
export const GB_COMMANDS: readonly Command[] = [
  {
    name: 'gb devices',
    args: ['[QUERY]'],
    summary: 'devices of GB/T 28181 that are known; QUERY is a part of an id, a name or an address',
    async run({ api, args: [query = ''], output }) {
      const devices = await api.get(`${API}/list?${new URLSearchParams({ status: '-1', query }).toString()}`)
      output.show(devices, (width) => table(DEVICE_COLUMNS, Answer.listOf(devices), width))
    },
  },
  {
    name: 'gb channels',
    args: ['DEVICE'],
    summary: 'the channels of a device, with their streams',
    async run({ api, args: [device = ''], output }) {
      const channels = await api.get(`${API}/devices/${encodeURIComponent(device)}/channels`)
      output.show(channels, (width) => table(CHANNEL_COLUMNS, Answer.listOf(channels), width))
    },
  },
  {
    name: 'gb sync',
    args: ['DEVICE'],
    summary: 'fetch the catalog of a device anew, and tell how far that is',
    run: sync,
  },
  {
    name: 'gb play',
    args: ['DEVICE', 'CHANNEL'],
    summary: 'fetch the live stream of a channel until "gb stop", and print where it is watched',
    details: 'Viewers have it fetched by themselves, and it ends after the last of them; this one goes on without any.',
    options: {
      sub: { summary: 'its second stream, from now on' },
      main: { summary: 'its main stream, from now on' },
    },
    run: play,
  },
  {
    name: 'gb stop',
    args: ['DEVICE', 'CHANNEL'],
    summary: 'fetch the live stream of a channel no longer; those who watch it lose it',
    async run({ api, args, output }) {
      await api.get(`${API}/play/stop/${idsOf(args)}`)
      output.done(`Stopped ${idsOf(args)}`)
    },
  },
  {
    name: 'gb records',
    args: ['DEVICE', 'CHANNEL'],
    summary: 'what a device has recorded of a channel, the newest first',
    details: `${TIMES} It is played at gb_1/DEVICE/CHANNEL?start=FROM&end=TO.`,
    options: {
      start: { summary: 'recordings that end after this time', value: 'TIME' },
      end: { summary: 'recordings that begin before this time', value: 'TIME' },
    },
    async run({ api, args, options, output }) {
      const query = new URLSearchParams(timesOf(options)).toString()
      const records = await api.get(`${API}/records/${idsOf(args)}?${query}`)
      output.show(records, (width) => table(RECORD_COLUMNS, Answer.listOf(records), width))
    },
  },
  {
    name: 'gb download',
    args: ['DEVICE', 'CHANNEL'],
    summary: 'fetch what a device has recorded into the recordings of the server, and tell how far that is',
    details: `${TIMES} It goes on where this command is ended.`,
    options: {
      start: { summary: 'from this time on', value: 'TIME' },
      end: { summary: 'up to this time (default now)', value: 'TIME' },
    },
    run: download,
  },
  {
    name: 'gb ptz',
    args: ['DEVICE', 'CHANNEL', 'MOVE'],
    summary: `move a camera until the next command; MOVE is ${Object.keys(MOVES).join(', ')}`,
    options: {
      speed: { summary: `1 to ${MAX_SPEED} (default ${DEFAULT_SPEED})`, value: 'N' },
    },
    run: move,
  },
  {
    name: 'gb presets',
    args: ['DEVICE', 'CHANNEL'],
    summary: 'the presets of a camera',
    async run({ api, args, output }) {
      const { presets } = await api.getFields(`${API}/preset/query/${idsOf(args)}`)
      output.show(presets, (width) => table(PRESET_COLUMNS, Answer.listOf(presets), width))
    },
  },
  {
    name: 'gb preset',
    args: ['DEVICE', 'CHANNEL', 'PRESET'],
    summary: `have a camera look where a preset (1 to ${MAX_PRESET}) says`,
    options: {
      set: { summary: 'have the preset be where the camera looks now' },
      remove: { summary: 'remove the preset' },
      name: { summary: 'of a preset that is set, for devices of 2022', value: 'NAME' },
    },
    run: usePreset,
  },
  {
    name: 'gb alarms',
    args: ['DEVICE'],
    summary: `the newest ${NEWEST_ALARMS} alarms of a device`,
    async run({ api, args: [device = ''], output }) {
      const alarms = await api.get(`${API}/alarms/${encodeURIComponent(device)}?page=1&count=${NEWEST_ALARMS}`)
      output.show(alarms, (width) => table(ALARM_COLUMNS, Answer.listOf(alarms), width))
    },
  },
]

async function sync({ api, args: [device = ''], output }: CommandContext): Promise<void> {
  const id = encodeURIComponent(device)
  await api.getFields(`${API}/devices/${id}/sync`)
  const end = await follow(output, {
    ask: () => api.getFields(`${API}/${id}/sync_status`),
    goesOn: (state) => state.is('running'),
    text: (state) => `${state.text('current')} of ${state.text('total')} channels`,
  })
  const fault = end.text('errorMsg')
  if (fault !== '') throw new CommandError(`the catalog could not be fetched: ${fault}`)
  output.done(`Fetched ${end.text('current')} channels of ${device}`)
}

async function play({ api, args, options, output }: CommandContext): Promise<void> {
  const [deviceId = '', channelId = ''] = args
  if (options['sub'] === true && options['main'] === true) throw new UsageError('--sub or --main, not both')
  if (options['sub'] === true || options['main'] === true) {
    const streamIdentification = options['sub'] === true ? 'sub' : 'main'
    await api.post(`${API}/channel/stream/identification/update`, { deviceId, channelId, streamIdentification })
  }
  const started = new Answer(await api.get(`${API}/play/start/${idsOf(args)}`))
  const [streamPath, ssrc] = [started.text('streamPath'), started.text('ssrc')]
  const addresses = await playAddresses(api, streamPath)
  output.show({ streamPath, ssrc, addresses: addresses.map(([, address]) => address) }, () =>
    fieldLines([['Stream', streamPath], ['SSRC', ssrc], ...addresses]),
  )
}

/** The addresses of a stream, each with the plugin that plays it there. */
async function playAddresses(api: ApiClient, streamPath: string): Promise<(readonly [string, string])[]> {
  const { hostname } = new URL(api.server)
  const info = new Answer(await api.get('/api/sysinfo'))
  return info.list('plugins').flatMap((plugin) => {
    const templates: unknown = plugin.value('playAddr')
    const texts = Array.isArray(templates) ? templates.filter((each) => typeof each === 'string') : []
    return texts.map((template) => {
      const address = template.replaceAll('{hostName}', hostname).replaceAll('{streamPath}', streamPath)
      return [plugin.text('name'), address] as const
    })
  })
}

async function download({ api, args, options, output }: CommandContext): Promise<void> {
  if (options['start'] === undefined) throw new UsageError('--start is missing: the time from which to fetch')
  const query = new URLSearchParams(timesOf(options)).toString()
  const id = new Answer(await api.get(`${API}/download/${idsOf(args)}?${query}`)).text('downloadId')
  const end = await follow(output, {
    ask: () => api.get(`${API}/download/progress/${id}`),
    goesOn: (state) => ['pending', 'downloading'].includes(state.text('status')),
    text: (state) => `${state.text('progress')} %  ${bytesText(state.number('downloadedBytes'))}`,
  })
  if (end.text('status') !== 'completed') throw new CommandError(`the download has failed: ${end.text('error')}`)
  output.done(`Stored ${end.text('filePath')} (${bytesText(end.number('downloadedBytes'))})`)
}

async function move({
  api,
  args: [device = '', channel = '', word = ''],
  options,
  output,
}: CommandContext): Promise<void> {
  const parts = Object.hasOwn(MOVES, word) ? MOVES[word] : undefined
  if (parts === undefined) throw new UsageError(`MOVE is ${Object.keys(MOVES).join(', ')}, and not "${word}"`)
  const speed = numberOf('--speed', options['speed'] ?? String(DEFAULT_SPEED), MAX_SPEED)
  const { pan = 0, tilt = 0, zoom = 0 } = parts
  const zoomSpeed = Math.max(1, Math.round((speed * MAX_ZOOM_SPEED) / MAX_SPEED))
  const query = new URLSearchParams({
    pan: String(pan * speed),
    tilt: String(tilt * speed),
    zoom: String(zoom * zoomSpeed),
  })
  await api.get(`${API}/ptz/move/${idsOf([device, channel])}?${query.toString()}`)
  output.done(word === 'stop' ? 'Stopped' : `Moving ${word}; "gb ptz ${device} ${channel} stop" ends it`)
}

async function usePreset({ api, args, options, output }: CommandContext): Promise<void> {
  const preset = numberOf('PRESET', args[2] ?? '', MAX_PRESET)
  const isSet = options['set'] === true
  if (isSet && options['remove'] === true) throw new UsageError('--set or --remove, not both')
  if (options['name'] !== undefined && !isSet) throw new UsageError('--name is for --set')
  const action = isSet ? 'add' : options['remove'] === true ? 'delete' : 'call'
  const query = new URLSearchParams({ presetId: String(preset) })
  if (typeof options['name'] === 'string') query.set('presetName', options['name'])
  await api.get(`${API}/preset/${action}/${idsOf(args)}?${query.toString()}`)
  output.done({ add: 'Set', delete: 'Removed', call: 'Going to' }[action] + ` preset ${preset}`)
}

type Followed = {
  readonly ask: () => Promise<unknown>
  readonly goesOn: (state: Answer) => boolean
  readonly text: (state: Answer) => string
}

/** Shows how far something is until it is over, and returns its last state. */
async function follow(output: CommandContext['output'], { ask, goesOn, text }: Followed): Promise<Answer> {
  let shown = ''
  for (;;) {
    const state = new Answer(await ask())
    const json = JSON.stringify(state.json)
    if (json !== shown) output.refresh(state.json, (width) => cutToWidth(printable(text(state)), width))
    shown = json
    if (!goesOn(state)) {
      output.endLine()
      return state
    }
    await delay(LOOK_MS)
  }
}

/** The ids of a device and a channel as a path. */
function idsOf([device = '', channel = '']: readonly string[]): string {
  return `${encodeURIComponent(device)}/${encodeURIComponent(channel)}`
}

function timesOf({ start, end }: CommandOptions): Record<string, string> {
  return { ...(typeof start === 'string' && { start }), ...(typeof end === 'string' && { end }) }
}

/** @throws {UsageError} when the text is no number from 1 to the largest one */
function numberOf(name: string, text: unknown, largest: number): number {
  const number = typeof text === 'string' && /^\d{1,3}$/u.test(text) ? Number(text) : 0
  if (number < 1 || number > largest) throw new UsageError(`${name} is 1 to ${largest}, and not "${String(text)}"`)
  return number
}

function modelText(thing: Answer): string {
  return [thing.text('manufacturer'), thing.text('model')].filter((part) => part !== '').join(' ')
}

function addressText(device: Answer): string {
  const [transport, ip] = [device.text('transport').toLowerCase(), device.text('ip')]
  const host = ip.includes(':') ? `[${ip}]` : ip
  return ip === '' ? '' : `${transport} ${host}:${device.text('port')}`
}

function lengthText(record: Answer): string {
  return durationText(Date.parse(record.text('endTime')) - Date.parse(record.text('startTime')))
}
