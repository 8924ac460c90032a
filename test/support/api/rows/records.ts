import { randomUUID } from 'node:crypto'
import { b, fields, i, list, s, ts, u, U } from '../checks.ts'
import { data, DONE, page, type Row } from '../row.ts'

const RECORDING = fields({ streamPath: s, startTime: ts, type: s, pointer: U })
const FILE = { id: u, filePath: s, streamPath: s, startTime: ts, endTime: ts }
const RECORD_FILE = fields({
  ...FILE,
  ...{ filename: s, type: s, duration: u, audioCodec: s, videoCodec: s, createdAt: ts },
})
const EVENT_FILE = fields({ ...FILE, eventId: s, eventLevel: s, eventName: s, eventDesc: s })
const CATALOG = fields({ streamPath: s, count: u, startTime: ts, endTime: ts })
const ALARM = fields({
  ...{ id: u, serverInfo: s, streamName: s, streamPath: s, alarmDesc: s, alarmName: s, alarmType: i, isSent: b },
  ...{ filePath: s, createdAt: ts, updatedAt: ts },
})

/** Recordings (api.md 3.1, 3.2). */
export const RECORD_ROWS: readonly Row[] = [
  { name: 'active recordings', pending: true, spellings: ['GET /api/record/list'], answer: data(list(RECORDING)) },
  {
    name: 'catalog of recordings',
    pending: true,
    spellings: ['GET /api/record/{type}/catalog'],
    ask: () => ({ params: { type: 'mp4' } }),
    answer: data(list(CATALOG)),
  },
  {
    name: 'list of recordings',
    pending: true,
    spellings: ['GET /api/record/{type}/list/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { type: 'mp4', streamPath } }),
    answer: page(list(RECORD_FILE)),
  },
  {
    name: 'list of event recordings',
    pending: true,
    spellings: ['GET /api/record/{type}/event/list/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { type: 'mp4', streamPath } }),
    answer: page(list(EVENT_FILE)),
  },
  {
    name: 'delete recording',
    pending: true,
    spellings: ['POST /api/record/{type}/delete/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { type: 'mp4', streamPath }, body: { ids: [1] } }),
    answer: data(list(RECORD_FILE)),
  },
  {
    name: 'start recording as MPEG-TS',
    spellings: ['POST /hls/api/record/start/{streamPath}', 'GET /hls/api/record/start/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath }, query: { fragment: '1m', filePath: randomUUID() } }),
    answer: data(U),
  },
  {
    name: 'stop recording as MPEG-TS',
    spellings: ['POST /hls/api/record/stop/{id}', 'GET /hls/api/record/stop/{id}'],
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
    name: 'arm and disarm',
    spellings: ['POST /api/arming/set'],
    ask: () => ({ body: { armed: true } }),
    answer: DONE,
  },
]
