import { b, exactly, fields, i, list, map, orNull, s, some, ts, u, type Check } from '../checks.ts'
import { bare, data, DONE, type Ask, type Refusal, type Row } from '../row.ts'

const BASE = '/gb28181/api'
const NOBODY = '34020000001320999999'
const SUCCESS = { code: exactly(0), message: s }

/** `Channel` of api.md 7.3. */
const CHANNEL_FIELDS = {
  id: s,
  deviceId: s,
  channelId: s,
  parentId: s,
  name: s,
  manufacturer: s,
  model: s,
  owner: s,
  civilCode: s,
  address: s,
  port: i,
  parental: i,
  safetyWay: i,
  registerWay: i,
  secrecy: i,
  status: s,
  playing: b,
  gpsTime: orNull(ts),
  longitude: s,
  latitude: s,
  streamPath: s,
  customChannelId: s,
  customChannelName: s,
}
const CHANNEL = fields(CHANNEL_FIELDS)
/** A channel in the lists of one device. */
const COUNTED_CHANNEL = fields({ ...CHANNEL_FIELDS, subCount: i })

/** `Device` of api.md 7.3. */
const DEVICE = fields({
  deviceId: s,
  name: s,
  manufacturer: s,
  model: s,
  firmware: s,
  version: s,
  longitude: s,
  latitude: s,
  status: s,
  mediaIp: s,
  registerTime: orNull(ts),
  updateTime: orNull(ts),
  keepAliveTime: orNull(ts),
  channelCount: i,
  online: b,
  channels: list(CHANNEL),
  sipIp: s,
  streamMode: s,
  password: s,
  subscribeCatalog: b,
  subscribePosition: b,
  subscribeAlarm: b,
  transport: s,
  ip: s,
  port: i,
  broadcastPushAfterAck: b,
  charset: s,
  ssrcCheck: b,
  sendDate: b,
})

const RAW_CHANNEL = fields({
  ...CHANNEL_FIELDS,
  block: s,
  certNum: s,
  certifiable: i,
  errCode: i,
  endTime: s,
  ipAddress: s,
  password: s,
  ptzType: i,
  positionType: i,
  roomType: i,
  useType: i,
  supplyLightType: i,
  directionType: i,
  resolution: s,
  businessGroupId: s,
  downloadSpeed: s,
  svcSpaceSupportMod: i,
  svcTimeSupportMode: i,
  channelType: s,
  audio: b,
  streamIdentification: s,
})

const LISTED_CHANNEL = fields({
  id: s,
  channelId: s,
  customChannelId: s,
  channelName: s,
  customChannelName: s,
  deviceId: s,
  deviceName: s,
  streamPath: s,
  channelType: s,
  status: s,
  playing: b,
})

const ADDRESSED_CHANNEL = fields({
  deviceId: s,
  channelId: s,
  channelName: s,
  customChannelId: s,
  customChannelName: s,
  ipAddress: s,
  status: s,
  streamPath: s,
})

/** `GroupChannel` of api.md 7.3. */
const GROUP_CHANNEL = fields({
  id: i,
  groupId: i,
  channelId: s,
  deviceId: s,
  channelName: s,
  deviceName: s,
  status: s,
  playing: b,
  streamMode: s,
  inGroup: b,
})

const GROUP: Check = (value, at) =>
  fields({
    id: i,
    createTime: ts,
    updateTime: ts,
    name: s,
    pid: i,
    level: i,
    channels: list(GROUP_CHANNEL),
    children: list(GROUP),
  })(value, at)

const SYNC = bare(fields({ ...SUCCESS, total: i, current: i, errorMsg: s, running: b }))

/** Refused in the body of a success. */
function refused(why: string, ask: Ask | Exclude<Refusal['ask'], Ask>, code: number): Refusal {
  return { why, ask, status: 200, code }
}

const unknownDevice = (name = 'deviceId') => refused('there is no such device', { params: { [name]: NOBODY } }, 404)
const totalOf = (item: Check) => bare(fields({ ...SUCCESS, total: u, data: some(item) }))

/** Devices of GB/T 28181 (api.md 7). */
export const GB_DEVICE_ROWS: readonly Row[] = [
  {
    name: 'paged device list',
    spellings: [`GET ${BASE}/list`, `GET ${BASE}/devices`],
    ask: ({ gb }) => ({ query: { status: 1, page: 1, count: 10, query: gb.camera.deviceId } }),
    answer: totalOf(DEVICE),
  },
  {
    name: 'get device by device id',
    spellings: [`GET ${BASE}/devices/{deviceId}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(DEVICE),
    refusals: [unknownDevice()],
  },
  {
    name: 'add device',
    spellings: [`POST ${BASE}/device/add`],
    ask: ({ gb }) => ({ body: { deviceId: gb.newId('132'), password: 'x' } }),
    answer: DONE,
    refusals: [refused('it is there', ({ gb }) => ({ body: gb.camera }), 409)],
  },
  {
    name: 'update device',
    spellings: [`POST ${BASE}/device/update`],
    ask: async ({ gb }) => ({ body: { deviceId: await gb.newKnown(), name: 'walked', streamMode: 'UDP' } }),
    answer: DONE,
    refusals: [
      refused('there is none', { body: { deviceId: NOBODY } }, 404),
      refused('media has no such way', ({ gb }) => ({ body: { ...gb.camera, streamMode: 'QUIC' } }), 400),
    ],
  },
  {
    name: 'set how media comes',
    spellings: [`POST ${BASE}/transport/{deviceId}/{streamMode}`],
    ask: async ({ gb }) => ({ params: { deviceId: await gb.newKnown(), streamMode: 'TCP-PASSIVE' } }),
    answer: DONE,
    refusals: [refused('there is none', { params: { deviceId: NOBODY, streamMode: 'UDP' } }, 404)],
  },
  {
    name: 'delete device',
    spellings: [
      `POST ${BASE}/device/remove/{id}`,
      `GET ${BASE}/device/remove/{id}`,
      `DELETE ${BASE}/devices/{id}/delete`,
    ],
    ask: async ({ gb }) => ({ params: { id: await gb.newKnown() } }),
    answer: bare(fields({ code: exactly(200), message: s })),
    refusals: [refused('there is none', { params: { id: NOBODY } }, 0)],
  },
  {
    name: 'manual sync of devices and channels',
    spellings: [`GET ${BASE}/devices/{deviceId}/sync`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: SYNC,
    refusals: [
      unknownDevice(),
      refused('it is off', async ({ gb }) => ({ params: { deviceId: await gb.newKnown() } }), 503),
    ],
  },
  {
    name: 'how far a sync is',
    spellings: [`GET ${BASE}/{deviceId}/sync_status`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: SYNC,
    refusals: [unknownDevice()],
  },
  {
    name: 'what a device tells of',
    spellings: [`GET ${BASE}/{deviceId}/subscribe_info`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(fields({ catalog: i, alarm: i, mobilePosition: i })),
    refusals: [unknownDevice()],
  },
  {
    name: 'status of a device',
    spellings: [`GET ${BASE}/devices/{deviceId}/status`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(
      fields({
        deviceId: s,
        online: s,
        status: s,
        reason: s,
        encode: s,
        record: s,
        deviceTime: orNull(ts),
        alarms: list(fields({ deviceId: s, dutyStatus: s })),
      }),
    ),
    refusals: [unknownDevice()],
  },
  {
    name: 'what a device is',
    spellings: [`GET ${BASE}/devices/{deviceId}/info`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(fields({ deviceId: s, deviceName: s, manufacturer: s, model: s, firmware: s, channel: i })),
    refusals: [unknownDevice()],
  },
  {
    name: 'memory cards',
    spellings: [`GET ${BASE}/sd_card/{deviceId}`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: data(some(fields({ id: i, name: s, status: s, formatProgress: i, capacity: i, freeSpace: i }))),
    refusals: [unknownDevice()],
  },
  {
    name: 'parts of the configuration',
    spellings: [`GET ${BASE}/config/{deviceId}/{channelId}`],
    ask: ({ gb }) => ({ params: gb.camera, query: { types: 'BasicParam,OSDConfig' } }),
    answer: data(fields({ BasicParam: map(s), OSDConfig: map(s) })),
    refusals: [refused('there is no such part', ({ gb }) => ({ params: gb.camera, query: { types: 'None' } }), 400)],
  },
  {
    name: 'change the configuration',
    spellings: [`POST ${BASE}/config/{deviceId}/{channelId}`],
    ask: ({ gb }) => ({
      params: gb.camera,
      body: {
        basicParam: { name: 'walked', heartBeatInterval: 60 },
        frameMirror: 0,
        alarmReport: { motionDetection: true, fieldDetection: false },
        videoAlarmRecord: { recordEnable: true, recordTime: 10, preRecordTime: 5 },
        videoRecordPlan: {
          recordEnable: true,
          recordSchedule: [{ weekDayNum: 1, timeSegment: [{ start: '08:00:00', stop: '18:00' }] }],
        },
      },
    }),
    answer: DONE,
    refusals: [refused('there is nothing', ({ gb }) => ({ params: gb.camera, body: {} }), 400)],
  },
  {
    name: 'what devices are to be told',
    spellings: [`GET ${BASE}/server/config`],
    answer: data(fields({ localIPs: list(s), localPort: u, deviceGBId: s, deviceGBDomain: s })),
  },
  {
    name: 'test of SIP',
    spellings: [`GET ${BASE}/testsip`],
    ask: () => ({ query: { testParam: 'walk' } }),
    answer: bare(fields({ ...SUCCESS, testResult: s })),
  },
]

/** Channels of devices, and of streams (api.md 7). */
export const GB_CHANNEL_ROWS: readonly Row[] = [
  {
    name: 'get channels by device id',
    spellings: [`GET ${BASE}/devices/{deviceId}/channels`],
    ask: ({ gb }) => ({ params: gb.camera, query: { page: 1, count: 5, online: 'true' } }),
    answer: totalOf(COUNTED_CHANNEL),
    refusals: [unknownDevice()],
  },
  {
    name: 'channels below a channel',
    spellings: [`GET ${BASE}/sub_channels/{deviceId}/{channelId}/channels`],
    ask: ({ gb }) => ({ params: gb.camera }),
    answer: bare(fields({ ...SUCCESS, total: u, data: list(COUNTED_CHANNEL) })),
    refusals: [refused('there is none', { params: { deviceId: NOBODY, channelId: NOBODY } }, 404)],
  },
  {
    name: 'list of all channels',
    spellings: [`GET ${BASE}/channel/list`],
    ask: async ({ gb }) => ({ query: { page: 1, count: 5, type: 1, query: await gb.newProxied() } }),
    answer: totalOf(LISTED_CHANNEL),
  },
  {
    name: 'all that a channel has',
    spellings: [`GET ${BASE}/channel/raw`],
    ask: async ({ gb }) => {
      const { deviceId, channelId } = gb.camera
      return { query: { id: `${deviceId}_${channelId}` } }
    },
    answer: data(RAW_CHANNEL),
    refusals: [
      refused('the id is none', { query: { id: 'none' } }, 400),
      refused('there is none', { query: { id: `${NOBODY}_${NOBODY}` } }, 404),
    ],
  },
  {
    name: 'channels by address',
    spellings: [`GET ${BASE}/channel/ip/{ip}`],
    ask: () => ({ params: { ip: '127.0.0.1' } }),
    answer: totalOf(ADDRESSED_CHANNEL),
  },
  {
    name: 'add channel',
    spellings: [`POST ${BASE}/channel/add`],
    ask: ({ gb }) => ({
      body: { deviceId: gb.camera.deviceId, channelId: gb.newId('131'), channelName: 'added' },
    }),
    answer: DONE,
    refusals: [refused('it is there', ({ gb }) => ({ body: gb.camera }), 409)],
  },
  {
    name: 'update channel',
    spellings: [`POST ${BASE}/channel/update/{id}`],
    ask: async ({ gb }) => {
      const id = await gb.newProxied()
      return { params: { id: `${id}_${id}` }, body: { name: 'walked', customChannelName: 'Walk', status: 'ON' } }
    },
    answer: DONE,
    refusals: [refused('the id is none', { params: { id: 'none' }, body: {} }, 400)],
  },
  {
    name: 'delete channel',
    spellings: [`POST ${BASE}/channel/delete/{id}`],
    ask: async ({ gb }) => {
      const id = await gb.newProxied()
      return { params: { id: `${id}_${id}` } }
    },
    answer: DONE,
    refusals: [refused('there is none', { params: { id: `${NOBODY}_${NOBODY}` } }, 404)],
  },
  {
    name: 'sound of a channel',
    spellings: [`POST ${BASE}/channel/audio`],
    ask: async ({ gb }) => ({ body: { channelId: await gb.newProxied(), audio: false } }),
    answer: DONE,
    refusals: [refused('there is none', { body: { channelId: NOBODY, audio: true } }, 404)],
  },
  {
    name: 'main or second stream of a channel',
    spellings: [`POST ${BASE}/channel/stream/identification/update`],
    ask: async ({ gb }) => ({ body: { channelId: await gb.newProxied(), streamIdentification: 'sub' } }),
    answer: DONE,
    refusals: [refused('there is none', { body: { channelId: NOBODY, streamIdentification: 'main' } }, 404)],
  },
  {
    name: 'add channel with pull proxy',
    spellings: [`POST ${BASE}/channel/add_with_proxy/{streamPath}`],
    ask: ({ gb, streamPath }) => ({ params: { streamPath }, body: { channelId: gb.newId('131'), name: 'walked' } }),
    answer: DONE,
    refusals: [
      refused(
        'it is there',
        async ({ gb }) => ({ params: { streamPath: 'live/a' }, body: { channelId: await gb.newProxied(), name: 'a' } }),
        409,
      ),
    ],
  },
  {
    name: 'modify channel with pull proxy',
    spellings: [`POST ${BASE}/channel/update_with_proxy/{channelId}`],
    ask: async ({ gb }) => ({ params: { channelId: await gb.newProxied() }, body: { streamPath: 'live/b' } }),
    answer: DONE,
    refusals: [refused('there is none', { params: { channelId: NOBODY }, body: {} }, 404)],
  },
  {
    name: 'delete channel with pull proxy',
    spellings: [`POST ${BASE}/channel/delete_with_proxy/{channelId}`],
    ask: async ({ gb }) => ({ params: { channelId: await gb.newProxied() } }),
    answer: DONE,
    refusals: [refused('there is none', { params: { channelId: NOBODY } }, 404)],
  },
]

/** Groups of channels (api.md 7). */
export const GB_GROUP_ROWS: readonly Row[] = [
  {
    name: 'query device groups',
    spellings: [`GET ${BASE}/groups/{pid}`],
    ask: async ({ gb }) => {
      await gb.newGroup()
      return { params: { pid: -1 } }
    },
    answer: data(some(GROUP)),
    refusals: [refused('there is none', { params: { pid: 999_999 } }, 404)],
  },
  {
    name: 'add group',
    spellings: [`POST ${BASE}/groups/add`],
    ask: ({ gb }) => ({ body: { pid: 1, name: gb.newId('215') } }),
    answer: data(fields({ id: u })),
    refusals: [refused('it would be another root', { body: { pid: 0, name: 'root' } }, 400)],
  },
  {
    name: 'update group',
    spellings: [`POST ${BASE}/groups/update`],
    ask: async ({ gb }) => ({ body: { id: await gb.newGroup(), name: 'walked', pid: 1 } }),
    answer: DONE,
    refusals: [refused('it is the root', { body: { id: 1, name: 'mine' } }, 400)],
  },
  {
    name: 'delete a group',
    spellings: [`POST ${BASE}/groups/delete/{id}`],
    ask: async ({ gb }) => ({ params: { id: await gb.newGroup() } }),
    answer: DONE,
    refusals: [
      refused('it is the root', { params: { id: 1 } }, 400),
      refused('there is none', { params: { id: 999_999 } }, 404),
    ],
  },
  {
    name: 'list channels in a group',
    spellings: [`GET ${BASE}/groups/{groupId}/channels`],
    ask: async ({ gb }) => {
      const { deviceId } = gb.camera
      return { params: { groupId: await gb.newGroup() }, query: { page: 1, count: 2, deviceId } }
    },
    answer: bare(
      fields({
        ...SUCCESS,
        total: u,
        data: fields({ list: some(GROUP_CHANNEL), channels: list(GROUP_CHANNEL) }),
      }),
    ),
    refusals: [refused('there is none', { params: { groupId: 999_999 } }, 404)],
  },
  {
    name: 'add channels to a group',
    spellings: [`POST ${BASE}/groups/channel/add/{groupId}`],
    ask: async ({ gb }) => ({ params: { groupId: await gb.newGroup() }, body: [gb.camera] }),
    answer: DONE,
    refusals: [
      refused(
        'there is no such channel',
        async ({ gb }) => ({
          params: { groupId: await gb.newGroup() },
          body: [{ deviceId: NOBODY, channelId: NOBODY }],
        }),
        404,
      ),
    ],
  },
  {
    name: 'take channels out of a group',
    spellings: [`POST ${BASE}/groups/channel/delete/{groupId}`],
    ask: async ({ gb }) => ({ params: { groupId: await gb.newGroup() }, body: [gb.camera] }),
    answer: DONE,
    refusals: [refused('there is none', { params: { groupId: 999_999 }, body: [] }, 404)],
  },
]
