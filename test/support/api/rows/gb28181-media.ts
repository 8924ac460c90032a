import { exactly, f, fields, i, orNull, s, some, ts, u, U } from '../checks.ts'
import { bare, data, DONE, type Refusal, type Row } from '../row.ts'

const BASE = '/gb28181/api'
const NOBODY = '34020000001320999999'
const TARGET = '{deviceId}/{channelId}'
const SUCCESS = { code: exactly(0), message: s }
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9]).toString('base64')

/** `GbRecord` of api.md 7.3. */
const RECORD = fields({
  deviceId: s,
  name: s,
  filePath: s,
  address: s,
  startTime: s,
  endTime: s,
  secrecy: i,
  type: s,
  recorderId: s,
})

/** `AlarmRecord` of api.md 7.3. */
const ALARM = fields({
  id: s,
  deviceId: s,
  deviceName: s,
  channelId: s,
  alarmPriority: s,
  alarmMethod: s,
  alarmTime: ts,
  alarmDescription: s,
  longitude: f,
  latitude: f,
  alarmType: s,
  createTime: ts,
  alarmPriorityDesc: s,
  alarmMethodDesc: s,
  alarmTypeDesc: s,
})

const unknownTarget: Refusal = {
  why: 'there is no such device',
  ask: { params: { deviceId: NOBODY, channelId: NOBODY } },
  status: 200,
  code: 404,
}

/** Recordings, pictures, alarms and streams of devices (api.md 7 and 7.2). */
export const GB_MEDIA_ROWS: readonly Row[] = [
  {
    name: 'query recordings',
    spellings: [`GET ${BASE}/records/${TARGET}`, `GET ${BASE}/gbrecord/query/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera, query: { ...gb.anHour, type: 'all' } }),
    answer: bare(
      fields({
        ...SUCCESS,
        deviceId: s,
        channelId: s,
        sn: s,
        name: s,
        sumNum: u,
        count: u,
        lastTime: orNull(ts),
        data: some(RECORD),
      }),
    ),
    refusals: [unknownTarget],
  },
  {
    name: 'download playback',
    spellings: [`GET ${BASE}/download/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera, query: { ...gb.anHour, downloadSpeed: 4 } }),
    answer: bare(
      fields({
        ...SUCCESS,
        total: exactly(0),
        data: fields({ downloadId: s, status: s, downloadUrl: s }),
      }),
    ),
    refusals: [
      { ...unknownTarget, ask: { params: { deviceId: NOBODY, channelId: NOBODY }, query: { start: '1700000000' } } },
    ],
  },
  {
    name: 'how far a download is',
    spellings: [`GET ${BASE}/download/progress/{downloadId}`],
    ask: async ({ gb }) => ({ params: { downloadId: await gb.newDownload() } }),
    answer: data(
      fields({
        downloadId: s,
        status: s,
        progress: i,
        filePath: s,
        error: s,
        downloadedBytes: U,
        totalBytes: U,
        startedAt: orNull(ts),
        completedAt: orNull(ts),
        downloadUrl: s,
      }),
    ),
    refusals: [
      { why: 'there is none', ask: { params: { downloadId: `${NOBODY}_${NOBODY}_1_2` } }, status: 200, code: 404 },
    ],
  },
  {
    name: 'snapshot',
    spellings: [`GET ${BASE}/snap/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera, query: { mark: 'walk' } }),
    answer: bare(fields({ ...SUCCESS, imageData: s })),
    refusals: [unknownTarget],
  },
  {
    name: 'upload of a picture',
    spellings: [`POST ${BASE}/snap/upload`],
    ask: async ({ gb }) => ({ query: { token: await gb.newUpload() }, body: { imageData: JPEG } }),
    answer: DONE,
    refusals: [
      {
        why: 'nobody waits for it',
        ask: { query: { token: 'none' }, body: { imageData: JPEG } },
        status: 200,
        code: 404,
      },
    ],
  },
  {
    name: 'query alarms',
    spellings: [`GET ${BASE}/alarms/{deviceId}`],
    ask: async ({ gb }) => ({ params: await gb.withAlarm(), query: { page: 1, count: 5 } }),
    answer: bare(fields({ ...SUCCESS, total: u, data: some(ALARM) })),
    refusals: [unknownTarget],
  },
  {
    name: 'query alarms by their kinds',
    spellings: [`GET ${BASE}/alarm/{deviceId}`],
    ask: async ({ gb }) => ({ params: await gb.withAlarm(), query: { startPriority: '1', endPriority: '4' } }),
    answer: data(some(fields({ deviceId: s, alarmPriority: s, alarmMethod: s, alarmTime: s, alarmDescription: s }))),
    refusals: [unknownTarget],
  },
  {
    name: 'ask for alarms again',
    spellings: [`GET ${BASE}/alarm/query/{deviceId}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: DONE,
    refusals: [unknownTarget],
  },
  {
    name: 'receive alarm (test only)',
    spellings: [`POST ${BASE}/alarm/receive`],
    ask: () => ({ body: { streamPath: 'live/walk', alarmDesc: 'walk', alarmType: 1 } }),
    answer: DONE,
  },
  {
    name: 'start a live stream',
    spellings: [`GET ${BASE}/play/start/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(fields({ streamPath: s, ssrc: s })),
    refusals: [unknownTarget],
  },
  {
    name: 'streams with their SSRC',
    spellings: [`GET ${BASE}/play/ssrc`],
    ask: async ({ gb }) => {
      await gb.playing()
      return {}
    },
    answer: data(some(fields({ deviceId: s, channelId: s, streamPath: s, ssrc: s, type: s }))),
  },
  {
    name: 'stop a live stream',
    spellings: [`GET ${BASE}/play/stop/${TARGET}`],
    ask: async ({ gb }) => ({ params: await gb.playing() }),
    answer: DONE,
    refusals: [unknownTarget],
  },
  {
    name: 'end a stream by its key',
    spellings: [`POST ${BASE}/play/convertStop/{key}`],
    ask: async ({ gb }) => {
      const { deviceId, channelId } = await gb.playing()
      return { params: { key: `${deviceId}_${channelId}` } }
    },
    answer: DONE,
    refusals: [{ why: 'nothing runs', ask: { params: { key: `${NOBODY}_${NOBODY}` } }, status: 200, code: 404 }],
  },
  {
    name: 'start a recording',
    spellings: [`POST ${BASE}/playback/start/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera, body: gb.anHour }),
    answer: data(fields({ streamPath: s, ssrc: s })),
    refusals: [unknownTarget],
  },
  ...['pause', 'resume'].map((action): Row => ({
    name: `playback ${action}`,
    spellings: [`GET ${BASE}/playback/${action}`],
    ask: async ({ gb }) => ({ query: { streamPath: await gb.newPlayback() } }),
    answer: DONE,
    refusals: [{ why: 'there is none', ask: { query: { streamPath: 'live/none' } }, status: 200, code: 404 }],
  })),
  {
    name: 'playback speed',
    spellings: [`GET ${BASE}/playback/speed`],
    ask: async ({ gb }) => ({ query: { streamPath: await gb.newPlayback(), speed: 2 } }),
    answer: DONE,
    refusals: [
      {
        why: 'devices have no such speed',
        ask: async ({ gb }) => ({ query: { streamPath: await gb.newPlayback(), speed: 7 } }),
        status: 200,
        code: 400,
      },
    ],
  },
  {
    name: 'playback from another time',
    spellings: [`GET ${BASE}/playback/seek`],
    ask: async ({ gb }) => ({ query: { streamPath: await gb.newPlayback(), seekTime: gb.anHour.start } }),
    answer: DONE,
    refusals: [
      { why: 'there is none', ask: { query: { streamPath: 'live/none', seekTime: 1 } }, status: 200, code: 404 },
    ],
  },
]
