import { STATISTICS_FIELDS } from '../../../../plugins/srt/statistics-fields.ts'
import { b, f, fields, list, s, some, ts, u } from '../checks.ts'
import { DONE, page, unknown, type Row } from '../row.ts'

const WEBRTC_SESSION = fields({
  id: u,
  action: s,
  streamPath: s,
  remoteAddr: s,
  startTime: ts,
  state: s,
  reason: s,
  checks: list(s),
  pair: s,
  rttMs: u,
  profile: s,
  bytesReceived: u,
  bytesSent: u,
})

const SRT_SESSION = fields({
  id: u,
  streamPath: s,
  direction: s,
  mode: s,
  remoteAddr: s,
  startTime: ts,
  peerVersion: s,
  encrypted: b,
  receiveLatencyMs: u,
  sendLatencyMs: u,
  statistics: fields(Object.fromEntries(Object.keys(STATISTICS_FIELDS).map((name) => [name, f]))),
})

/** What the shipped plugins have of their own (api.md 8.1 and 8.6). */
export const PLUGIN_ROWS: readonly Row[] = [
  {
    name: 'push out by RTMP',
    spellings: ['POST /rtmp/api/push/{streamPath}'],
    ask: (world) => ({
      params: { streamPath: world.streamPath },
      body: { remoteURL: world.server.rtmp(world.newName('pushed/here')) },
    }),
    answer: DONE,
    refusals: [
      {
        why: 'the address is none',
        ask: {
          params: { streamPath: 'live/walk' },
          body: { remoteURL: 'none' },
        },
        status: 400,
        code: 3,
      },
    ],
  },
  {
    name: 'playback rate of RTSP',
    spellings: ['GET /rtsp/api/playback/speed/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: await world.newRtspPull() }, query: { speed: 1 } }),
    answer: DONE,
    refusals: [
      {
        why: 'nobody pulls it',
        ask: { params: { streamPath: 'live/none' }, query: { speed: 2 } },
        status: 200,
        code: 404,
      },
      {
        why: 'no device plays so',
        ask: { params: { streamPath: 'live/none' }, query: { speed: 3 } },
        status: 200,
        code: 400,
      },
    ],
  },
  {
    name: 'insert an SEI message',
    spellings: ['POST /sei/api/insert/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath }, query: { format: 'json' }, body: '{"ball":[1,2]}' }),
    answer: DONE,
    refusals: [
      {
        why: 'nobody publishes the stream',
        ask: { params: { streamPath: 'live/none' }, body: 'x' },
        status: 404,
        code: 5,
      },
      {
        why: 'the data is no JSON',
        ask: { params: { streamPath: 'live/walk' }, query: { format: 'json' }, body: '{' },
        status: 400,
        code: 3,
      },
    ],
  },
  {
    name: 'sessions of SRT',
    spellings: ['GET /srt/api/sessions'],
    ask: async (world) => {
      await world.newSrtPublisher()
      return {}
    },
    answer: page(some(SRT_SESSION)),
  },
  {
    name: 'sessions of WebRTC',
    spellings: ['GET /webrtc/api/sessions'],
    ask: async (world) => {
      await world.newWhip()
      return {}
    },
    answer: page(some(WEBRTC_SESSION)),
  },
  {
    name: 'end a publisher of WebRTC',
    spellings: [
      'DELETE /webrtc/api/stop/push/{streamPath}',
      'DELETE /webrtc/push/{streamPath}',
      'DELETE /webrtc/whip/{streamPath}',
    ],
    ask: async (world) => ({ params: { streamPath: await world.newWhip() } }),
    answer: { wire: 'empty' },
    refusals: [unknown({ params: { streamPath: 'live/none' } })],
  },
]
