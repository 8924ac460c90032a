import { Answer } from '../answer.ts'
import { inPath } from '../api-client.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../../command-error.ts'
import { noStream } from '../failures.ts'
import { ageText, bitRateText, bytesText } from '../quantities.ts'
import { fieldLines, table, type Column } from '../../terminal/table.ts'

const STREAM_COLUMNS: readonly Column<Answer>[] = [
  { title: 'STREAM', value: (stream) => stream.text('path') },
  { title: 'FROM', value: sourceText },
  { title: 'VIDEO', value: videoText },
  { title: 'AUDIO', value: audioText },
  { title: 'IN', value: incomingText, align: 'right' },
  { title: 'VIEWERS', value: (stream) => stream.text('subscribers'), align: 'right' },
  { title: 'UP', value: (stream) => ageText(stream.text('startTime')), align: 'right' },
]

const SUBSCRIBER_COLUMNS: readonly Column<Answer>[] = [
  { title: 'ID', value: (subscriber) => subscriber.text('id'), align: 'right' },
  { title: 'STREAM', value: (subscriber) => subscriber.text('streamPath') },
  { title: 'BY', value: sourceText },
  { title: 'ADDRESS', value: (subscriber) => subscriber.text('remoteAddr') },
  { title: 'SENT', value: (subscriber) => bytesText(subscriber.number('sentBytes')), align: 'right' },
  { title: 'SKIPS', value: (subscriber) => subscriber.text('skips'), align: 'right' },
  { title: 'UP', value: (subscriber) => ageText(subscriber.text('startTime')), align: 'right' },
]

/** The commands for streams, their publishers and subscribers (api.md 3.1, 8.1). */
export const STREAM_COMMANDS: readonly Command[] = [
  {
    name: 'streams',
    summary: 'streams that run',
    async run({ api, output }) {
      const streams = await api.get('/api/stream/list')
      output.show(streams, (width) => table(STREAM_COLUMNS, Answer.listOf(streams), width))
    },
  },
  {
    name: 'stream',
    args: ['PATH'],
    summary: 'all about a stream',
    async run({ api, args: [path = ''], output }) {
      const stream = await api.get(`/api/stream/info/${inPath(path)}`, noStream(path))
      output.show(stream, () => fieldLines(streamFields(new Answer(stream))))
    },
  },
  {
    name: 'subscribers',
    args: ['[PATH]'],
    summary: 'who watches, all streams or one',
    async run({ api, args: [path], output }) {
      const subscribers = await api.get(path === undefined ? '/api/subscribers' : `/api/subscribers/${inPath(path)}`)
      output.show(subscribers, (width) => table(SUBSCRIBER_COLUMNS, Answer.listOf(subscribers), width))
    },
  },
  {
    name: 'kick',
    args: ['ID'],
    summary: 'stop a subscriber',
    async run({ api, args: [id = ''], output }) {
      if (!/^\d+$/u.test(id)) throw new UsageError(`"${id}" is no id; sluice ctl subscribers lists them`)
      await api.post(`/api/subscribe/stop/${id}`, {}, `there is no subscriber ${id}`)
      output.done(`Stopped subscriber ${id}`)
    },
  },
  {
    name: 'stop',
    args: ['PATH'],
    summary: 'stop the publisher of a stream',
    async run({ api, args: [path = ''], output }) {
      // The API accepts a stop of a stream that does not exist (api.md 1.1), which would hide a typing error.
      await api.get(`/api/stream/info/${inPath(path)}`, noStream(path))
      await api.post(`/api/stream/stop/${inPath(path)}`, {}, noStream(path))
      output.done(`Stopped ${path}`)
    },
  },
  {
    name: 'pull',
    args: ['URL', '[PATH]'],
    summary: 'publish what another server has',
    details: 'Without PATH it is pull/ and the protocol, such as pull/rtsp.',
    async run({ api, args: [url = '', path], output }) {
      await api.post('/api/stream/pull', { remoteURL: url, ...(path !== undefined && { streamPath: path }) })
      output.done(path === undefined ? 'Pulling' : `Pulling to ${path}`)
    },
  },
  {
    name: 'push',
    args: ['PATH', 'URL'],
    summary: 'send a stream to another server',
    details:
      'By RTMP, RTSP, SRT or WHIP, as URL begins. It ends with the stream; "proxy add --push" makes one that stays.',
    async run({ api, args: [path = '', url = ''], output }) {
      await api.post('/api/stream/push', { streamPath: path, remoteURL: url }, noStream(path))
      output.done(`Pushing ${path}`)
    },
  },
]

function streamFields(stream: Answer): readonly (readonly [string, string])[] {
  return [
    ['Stream', stream.text('path')],
    ['From', sourceText(stream)],
    ['Up', ageText(stream.text('startTime'))],
    ['Paused', stream.is('isPaused') ? 'yes' : ''],
    ['Video', videoText(stream)],
    ['Audio', audioText(stream)],
    ['In', incomingText(stream)],
    ['Viewers', stream.text('subscribers')],
    ['Keyframes', stream.number('gop') > 0 ? `every ${stream.text('gop')} pictures` : ''],
    ['Speed', stream.text('speed')],
    ...stream.object('details').names.map((name) => [name, stream.object('details').text(name)] as const),
    ['Metadata', stream.text('meta')],
  ]
}

/** Returns the plugin of a session, and its type when it is not an ordinary client. */
function sourceText(session: Answer): string {
  const [plugin, type] = [session.text('pluginName'), session.text('type')]
  return type === 'server' || type === '' ? plugin : `${plugin} (${type})`
}

function videoText(stream: Answer): string {
  const track = stream.object('videoTrack')
  const size = track.number('width') > 0 ? `${track.text('width')}x${track.text('height')}` : ''
  const rate = track.number('fps') > 0 ? `${Math.round(track.number('fps'))} fps` : ''
  return [track.text('codec'), size, rate].filter((part) => part !== '').join(' ')
}

function audioText(stream: Answer): string {
  const track = stream.object('audioTrack')
  const rate = track.number('sampleRate') > 0 ? `${track.number('sampleRate') / 1000} kHz` : ''
  return [track.text('codec'), rate].filter((part) => part !== '').join(' ')
}

function incomingText(stream: Answer): string {
  return bitRateText(stream.object('videoTrack').number('bps') + stream.object('audioTrack').number('bps'))
}
