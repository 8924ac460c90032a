import { randomUUID } from 'node:crypto'
import { b, fields, i, list, s, some, ts, u, U } from '../checks.ts'
import { bare, data, DONE, page, unknown, type Row } from '../row.ts'

const RECORDING = fields({ streamPath: s, startTime: ts, type: s, pointer: U })
const FILE = { id: u, filePath: s, streamPath: s, startTime: ts, endTime: ts }
const RECORD_FILE = fields({
  ...FILE,
  filename: s,
  type: s,
  duration: u,
  audioCodec: s,
  videoCodec: s,
  createdAt: ts,
  size: U,
  isActive: b,
})
const EVENT_FILE = fields({ ...FILE, eventId: s, eventLevel: s, eventName: s, eventDesc: s })
const CATALOG = fields({ streamPath: s, type: s, count: u, size: U, startTime: ts, endTime: ts })
const ALARM = fields({
  id: u,
  serverInfo: s,
  streamName: s,
  streamPath: s,
  alarmDesc: s,
  alarmName: s,
  alarmType: i,
  isSent: b,
  filePath: s,
  createdAt: ts,
  updatedAt: ts,
})

const TAG = fields({ id: u, tagName: s, streamPath: s, tagTime: ts, createdAt: ts, updatedAt: ts })
const NO_TAG = { params: { id: 999 } }
const A_TAG = { tagName: 'gate', streamPath: 'live/walk', tagTime: '2026-11-20T10:00:00Z' }

/** Recordings (api.md 3.1, 3.2). */
export const RECORD_ROWS: readonly Row[] = [
  {
    name: 'active recordings',
    spellings: ['GET /api/record/list'],
    ask: async (world) => {
      await world.newRecording('mp4')
      return {}
    },
    answer: page(some(RECORDING)),
  },
  {
    name: 'catalog of recordings',
    spellings: ['GET /api/record/{type}/catalog'],
    ask: async (world) => {
      await world.newRecording('mp4')
      return { params: { type: 'mp4' } }
    },
    answer: page(some(CATALOG)),
  },
  {
    name: 'days of recordings',
    spellings: ['GET /api/record/{type}/days/{streamPath}'],
    ask: async (world) => ({
      params: { type: 'mp4', streamPath: await world.newRecording('mp4') },
      query: { start: Math.floor(Date.now() / 1000) - 3600, timeZone: 'Asia/Shanghai' },
    }),
    answer: data(some(fields({ date: s, count: u, size: U }))),
    refusals: [
      {
        why: 'there is no such time zone',
        ask: { params: { type: 'mp4', streamPath: 'live/walk' }, query: { start: 1_764_000_000, timeZone: 'Mars' } },
        status: 400,
        code: 3,
      },
    ],
  },
  {
    name: 'list of recordings',
    spellings: ['GET /api/record/{type}/list/{streamPath}', 'GET /api/record/{type}/list'],
    ask: async (world) => ({ params: { type: 'mp4', streamPath: await world.newRecording('mp4') } }),
    answer: page(some(RECORD_FILE)),
  },
  {
    name: 'list of event recordings',
    spellings: ['GET /api/record/{type}/event/list/{streamPath}', 'GET /api/record/{type}/event/list'],
    ask: async (world) => ({ params: { type: 'mp4', streamPath: await world.newEvent() } }),
    answer: page(some(EVENT_FILE)),
  },
  {
    name: 'delete recording',
    spellings: ['POST /api/record/{type}/delete/{streamPath}'],
    ask: async (world) => ({
      params: { type: 'mp4', streamPath: await world.newRecording('mp4') },
      body: { ids: [999_999] },
    }),
    answer: data(list(RECORD_FILE)),
    refusals: [
      {
        why: 'neither ids nor a time are named',
        ask: { params: { type: 'mp4', streamPath: 'live/walk' } },
        status: 400,
        code: 3,
      },
    ],
  },
]

/** The operations of a plugin that records (api.md 6 and 8.1). */
function recorderRows(type: 'mp4' | 'flv' | 'hls'): Row[] {
  const mounts = { mp4: ['mp4'], flv: ['flv', 'hdl'], hls: ['hls', 'llhls'] }[type]
  /** Below each mount of the plugin. */
  const at = (...routes: [string, ...string[]]): [string, ...string[]] =>
    mounts.flatMap((mount) => routes.map((route) => route.replace('/', `/${mount}/`))) as [string, ...string[]]
  const unknownStream = { params: { streamPath: 'live/walk' }, body: { filePath: '../out' } }
  return [
    {
      name: `start recording ${type}`,
      spellings: at('POST /api/start/{streamPath}', 'POST /start/{streamPath}'),
      ask: async (world) => ({ params: { streamPath: await world.newStream() }, body: { fragment: '1m' } }),
      answer: data(U),
      refusals: [{ why: 'it would leave the storage', ask: unknownStream, status: 400, code: 3 }],
    },
    {
      name: `stop recording ${type}`,
      spellings: at('POST /api/stop/{streamPath}', 'POST /stop/{streamPath}'),
      ask: async (world) => ({ params: { streamPath: await world.newRecording(type) } }),
      answer: data(U),
    },
    {
      name: `query recordings of ${type}`,
      spellings: at('GET /api/list/{streamPath}', 'GET /api/list'),
      ask: async (world) => ({ params: { streamPath: await world.newRecording(type) } }),
      answer: page(some(RECORD_FILE)),
      refusals: [
        {
          why: 'the time is none',
          ask: { params: { streamPath: 'live/walk' }, query: { start: 'yesterday' } },
          status: 400,
          code: 3,
        },
      ],
    },
    {
      name: `recording directory of ${type}`,
      spellings: at('GET /api/catalog'),
      ask: async (world) => {
        await world.newRecording(type)
        return {}
      },
      answer: data(some(CATALOG)),
    },
    {
      name: `delete recordings of ${type}`,
      spellings: at('POST /api/delete/{streamPath}'),
      ask: async (world) => ({ params: { streamPath: await world.newRecording(type) }, body: { ids: [999_999] } }),
      answer: data(list(RECORD_FILE)),
    },
  ]
}

/** What the plugins have that record. */
export const RECORDER_ROWS: readonly Row[] = [
  ...recorderRows('mp4'),
  ...recorderRows('flv'),
  ...recorderRows('hls'),
  {
    name: 'event recording',
    spellings: ['POST /mp4/api/event/start'],
    ask: async (world) => ({ body: { streamPath: await world.newRecording('mp4'), eventId: '1', eventLevel: '0' } }),
    answer: data(u),
    refusals: [{ why: 'no stream is named', ask: { body: {} }, status: 400, code: 3 }],
  },
  {
    name: 'add tag',
    spellings: ['POST /mp4/api/tag/add'],
    ask: () => ({ body: A_TAG }),
    answer: data(TAG),
    refusals: [{ why: 'the time is none', ask: { body: { ...A_TAG, tagTime: 'soon' } }, status: 400, code: 3 }],
  },
  {
    name: 'list tags',
    spellings: ['GET /mp4/api/tag/list'],
    ask: async (world) => {
      await world.newTag()
      return {}
    },
    answer: bare(fields({ code: i, message: s, list: some(TAG), total: u })),
  },
  {
    name: 'modify tag',
    spellings: ['POST /mp4/api/tag/update/{id}'],
    ask: async (world) => ({ params: { id: await world.newTag() }, body: { tagName: 'door' } }),
    answer: data(TAG),
    refusals: [unknown(NO_TAG)],
  },
  {
    name: 'delete tag',
    spellings: ['POST /mp4/api/tag/delete/{id}'],
    ask: async (world) => ({ params: { id: await world.newTag() } }),
    answer: DONE,
    refusals: [unknown(NO_TAG)],
  },
  {
    name: 'start recording as MPEG-TS',
    spellings: [
      'POST /hls/api/record/start/{streamPath}',
      'GET /hls/api/record/start/{streamPath}',
      'POST /llhls/api/record/start/{streamPath}',
      'GET /llhls/api/record/start/{streamPath}',
    ],
    ask: ({ streamPath }) => ({ params: { streamPath }, query: { fragment: '1m', filePath: randomUUID() } }),
    answer: data(U),
  },
  {
    name: 'stop recording as MPEG-TS',
    spellings: [
      'POST /hls/api/record/stop/{id}',
      'GET /hls/api/record/stop/{id}',
      'POST /llhls/api/record/stop/{id}',
      'GET /llhls/api/record/stop/{id}',
    ],
    ask: async ({ server, streamPath }) => {
      const { body } = await server.api(`/hls/api/record/start/${streamPath}?filePath=${randomUUID()}`)
      return { params: { id: String(body.data) } }
    },
    answer: data(U),
  },
]

/** Alarms (api.md 3.1). */
export const ALARM_ROWS: readonly Row[] = [
  {
    name: 'alarm list',
    spellings: ['GET /api/alarm/list'],
    ask: () => ({ query: { pageNum: 1, pageSize: 10 } }),
    answer: page(list(ALARM)),
  },
  {
    name: 'webhooks of events',
    spellings: ['GET /api/alarm/webhooks'],
    answer: data(
      fields({ armed: b, webhooks: list(fields({ section: s, event: s, url: s, method: s, savealarm: b })) }),
    ),
  },
  {
    name: 'arm and disarm',
    spellings: ['POST /api/arming/set'],
    ask: () => ({ body: { armed: true } }),
    answer: DONE,
  },
]
