import { b, exactly, f, fields, i, list, s, some } from '../checks.ts'
import { bare, data, DONE, type Ask, type Row } from '../row.ts'

const BASE = '/gb28181/api'
const NOBODY = '34020000001320999999'
const TARGET = '{deviceId}/{channelId}'

/** An operation that tells a camera something, and answers nothing but that it has. */
function told(name: string, paths: readonly [string, ...string[]], query: Ask['query'] = {}): Row {
  const [first, ...others] = paths.map((path) => `GET ${BASE}/${path}/${TARGET}`)
  return {
    name,
    spellings: [first ?? '', ...others],
    ask: ({ gb }) => ({ params: gb.camera, query }),
    answer: DONE,
    refusals: [
      {
        why: 'there is no such device',
        ask: { params: { deviceId: NOBODY, channelId: NOBODY }, query },
        status: 200,
        code: 404,
      },
    ],
  }
}

/** What cameras and devices are told (api.md 7 and 7.2). */
export const GB_CONTROL_ROWS: readonly Row[] = [
  {
    ...told('PTZ control', ['ptz'], { ptzcmd: 'A50F0100000000B5' }),
    refusals: [
      {
        why: 'it is no command',
        ask: ({ gb }) => ({ params: gb.camera, query: { ptzcmd: 'A50F0100000000B6' } }),
        status: 200,
        code: 400,
      },
    ],
  },
  told('PTZ control, by bytes', ['front-end'], { cmdCode: 0, parameter1: 0, parameter2: 0, combindCode2: 0 }),
  told('move a camera', ['ptz/move'], { pan: 10, tilt: -10, zoom: 1 }),
  {
    name: 'where a camera looks',
    spellings: [`GET ${BASE}/ptz/position/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(
      fields({ pan: f, tilt: f, zoom: f, horizontalFieldAngle: f, verticalFieldAngle: f, maxViewDistance: f }),
    ),
  },
  told('iris', ['fi/iris'], { command: 'in', speed: 10 }),
  told('focus', ['fi/focus'], { command: 'near', speed: 10 }),
  told('wiper', ['wiper'], { command: 'on' }),
  told('auxiliary switch', ['auxiliary'], { command: 'off', switchId: 2 }),
  told('add a preset to a tour', ['cruise/point/add'], { cruiseId: 1, presetId: 1 }),
  told('take a preset out of a tour', ['cruise/point/delete'], { cruiseId: 9, presetId: 1 }),
  told('speed of a tour', ['cruise/speed'], { cruiseId: 1, speed: 100 }),
  told('seconds at presets of a tour', ['cruise/time'], { cruiseId: 1, time: 10 }),
  told('start a tour', ['cruise/start'], { cruiseId: 1 }),
  told('stop a tour', ['cruise/stop'], { cruiseId: 1 }),
  {
    name: 'tours of a camera',
    spellings: [`GET ${BASE}/cruise/query/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(list(fields({ cruiseId: i, name: s }))),
  },
  {
    name: 'presets of a tour',
    spellings: [`GET ${BASE}/cruise/track/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera, query: { cruiseId: 1 } }),
    answer: data(fields({ cruiseId: i, name: s, points: list(fields({ presetId: i, time: i, speed: i })) })),
  },
  told('start a scan', ['scan/start'], { scanId: 1 }),
  told('stop a scan', ['scan/stop'], { scanId: 1 }),
  told('left end of a scan', ['scan/set/left'], { scanId: 1 }),
  told('right end of a scan', ['scan/set/right'], { scanId: 1 }),
  told('speed of a scan', ['scan/set/speed'], { scanId: 1, speed: 100 }),
  told('add preset', ['preset', 'preset/add'], { presetId: 1, presetName: 'Door' }),
  {
    name: 'query preset',
    spellings: [`GET ${BASE}/preset/query/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: bare(
      fields({
        code: exactly(0),
        message: s,
        data: some(i),
        presets: some(fields({ presetId: i, presetName: s })),
      }),
    ),
  },
  told('call preset', ['preset/call'], { presetId: 1 }),
  told('delete preset', ['preset/delete'], { presetId: 200 }),
  told('keyframe', ['i_frame']),
  told('reset alarms', ['alarm/reset'], { alarmMethod: '2', alarmType: 1 }),
  {
    name: 'start or stop recording on the device',
    spellings: [`GET ${BASE}/recording/{cmdType}/${TARGET}`],
    ask: ({ gb }) => ({ params: { cmdType: 'Record', ...gb.camera } }),
    answer: DONE,
    refusals: [
      {
        why: 'there is no such command',
        ask: { params: { cmdType: 'Stop', deviceId: NOBODY, channelId: NOBODY } },
        status: 400,
        code: 3,
        says: /cmdType/u,
      },
    ],
  },
  {
    name: 'guard',
    spellings: [`GET ${BASE}/guard/{cmdType}/${TARGET}`],
    ask: ({ gb }) => ({ params: { cmdType: 'ResetGuard', ...gb.camera } }),
    answer: DONE,
  },
  {
    name: 'zoom into an area',
    spellings: [`GET ${BASE}/drag_zoom/{direction}/${TARGET}`],
    ask: ({ gb }) => ({
      params: { direction: 'in', ...gb.camera },
      query: { length: 640, width: 360, midPointX: 100, midPointY: 100, lengthX: 64, lengthY: 36 },
    }),
    answer: DONE,
  },
  {
    name: 'home position',
    spellings: [`GET ${BASE}/home_position/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(fields({ enabled: b, resetTime: i, presetIndex: i })),
  },
  {
    name: 'set the home position',
    spellings: [`POST ${BASE}/home_position/${TARGET}`],
    ask: ({ gb }) => ({ params: gb.camera, body: { enabled: true, resetTime: 60, presetIndex: 1 } }),
    answer: DONE,
  },
  told('look somewhere', ['ptz/precise'], { pan: 10.5, tilt: 5, zoom: 2 }),
  {
    name: 'follow something',
    spellings: [`GET ${BASE}/target_track/{cmdType}/${TARGET}`],
    ask: ({ gb }) => ({ params: { cmdType: 'Stop', ...gb.camera } }),
    answer: DONE,
  },
  {
    name: 'format a memory card',
    spellings: [`POST ${BASE}/sd_card/format/{deviceId}`],
    ask: ({ gb }) => ({ params: { deviceId: gb.camera.deviceId }, body: { id: 1 } }),
    answer: DONE,
  },
  {
    name: 'new software for a device',
    spellings: [`POST ${BASE}/device/upgrade/{deviceId}`],
    ask: ({ gb }) => ({
      params: { deviceId: gb.camera.deviceId },
      body: { firmware: '2', fileUrl: 'http://192.0.2.1/fw.bin', manufacturer: 'Acme' },
    }),
    // The simulated device knows no upgrades.
    answer: bare(fields({ code: exactly(502), message: s })),
  },
  {
    name: 'start a device anew',
    spellings: [`GET ${BASE}/teleboot/{deviceId}`],
    ask: async ({ gb }) => ({ params: { deviceId: (await gb.withAlarm()).deviceId } }),
    answer: DONE,
    refusals: [{ why: 'there is none', ask: { params: { deviceId: NOBODY } }, status: 200, code: 404 }],
  },
]
