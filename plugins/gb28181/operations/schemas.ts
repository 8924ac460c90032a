import { Type } from 'sluice/sdk'

/** A time that may never have been. */
const Moment = () => Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

const Status = () => Type.String({ description: 'ON or OFF' })
const Playing = () => Type.Boolean({ description: 'Its stream is on this server now' })

/** `Channel` of the API (api.md 7.3). */
export const ChannelAnswer = Type.Object({
  id: Type.String({ description: 'Of the device and the channel, with _ between them' }),
  deviceId: Type.String(),
  channelId: Type.String(),
  parentId: Type.String(),
  name: Type.String(),
  manufacturer: Type.String(),
  model: Type.String(),
  owner: Type.String(),
  civilCode: Type.String(),
  address: Type.String(),
  port: Type.Integer(),
  parental: Type.Integer(),
  safetyWay: Type.Integer(),
  registerWay: Type.Integer(),
  secrecy: Type.Integer(),
  status: Status(),
  playing: Playing(),
  gpsTime: Moment(),
  longitude: Type.String(),
  latitude: Type.String(),
  streamPath: Type.String({ description: 'The stream that is played' }),
  customChannelId: Type.String(),
  customChannelName: Type.String(),
})

/** `Device` of the API. */
export const DeviceAnswer = Type.Object({
  deviceId: Type.String(),
  name: Type.String(),
  manufacturer: Type.String(),
  model: Type.String(),
  firmware: Type.String(),
  version: Type.String({ description: 'Of the standard, as 2.0; empty where it tells none, which is taken for 2.0' }),
  longitude: Type.String(),
  latitude: Type.String(),
  status: Type.String({ description: 'ONLINE or OFFLINE' }),
  mediaIp: Type.String(),
  registerTime: Moment(),
  updateTime: Moment(),
  keepAliveTime: Moment(),
  channelCount: Type.Integer(),
  online: Type.Boolean(),
  channels: Type.Array(ChannelAnswer, { description: 'Of lists, as far as they are 10,000 together' }),
  sipIp: Type.String(),
  streamMode: Type.String({ description: 'UDP, TCP-ACTIVE or TCP-PASSIVE' }),
  password: Type.String({ description: 'Masked; empty where the device has none of its own' }),
  subscribeCatalog: Type.Boolean(),
  subscribePosition: Type.Boolean(),
  subscribeAlarm: Type.Boolean(),
  transport: Type.String(),
  ip: Type.String(),
  port: Type.Integer(),
  broadcastPushAfterAck: Type.Boolean(),
  charset: Type.String(),
  ssrcCheck: Type.Boolean(),
  sendDate: Type.Boolean({ description: 'The answer to its registration has a date, by which it sets its clock' }),
})

/** A channel in lists of all channels: `PlatformChannel` of the API, without what a platform says of it. */
export const ListedChannelAnswer = Type.Object({
  id: Type.String(),
  channelId: Type.String(),
  customChannelId: Type.String(),
  channelName: Type.String(),
  customChannelName: Type.String(),
  deviceId: Type.String(),
  deviceName: Type.String(),
  streamPath: Type.String(),
  channelType: Type.String({ description: 'device, or custom: added by an operator' }),
  status: Status(),
  playing: Playing(),
})

/** A channel that is found by its address. */
export const AddressedChannelAnswer = Type.Object({
  deviceId: Type.String(),
  channelId: Type.String(),
  channelName: Type.String(),
  customChannelId: Type.String(),
  customChannelName: Type.String(),
  ipAddress: Type.String(),
  status: Status(),
  streamPath: Type.String(),
})

/** All that a channel has: its password is masked. */
export const RawChannelAnswer = Type.Object({
  ...ChannelAnswer.properties,
  block: Type.String(),
  certNum: Type.String(),
  certifiable: Type.Integer(),
  errCode: Type.Integer(),
  endTime: Type.String(),
  ipAddress: Type.String(),
  password: Type.String(),
  ptzType: Type.Integer(),
  positionType: Type.Integer(),
  roomType: Type.Integer(),
  useType: Type.Integer(),
  supplyLightType: Type.Integer(),
  directionType: Type.Integer(),
  resolution: Type.String(),
  businessGroupId: Type.String(),
  downloadSpeed: Type.String(),
  svcSpaceSupportMod: Type.Integer(),
  svcTimeSupportMode: Type.Integer(),
  channelType: Type.String(),
  audio: Type.Boolean(),
  streamIdentification: Type.String({ description: 'main or sub' }),
})

/** `GroupChannel` of the API. */
export const GroupChannelAnswer = Type.Object({
  id: Type.Integer(),
  groupId: Type.Integer(),
  channelId: Type.String(),
  deviceId: Type.String(),
  channelName: Type.String(),
  deviceName: Type.String(),
  status: Status(),
  playing: Playing(),
  streamMode: Type.String(),
  inGroup: Type.Boolean(),
})

/** `GbRecord` of the API. */
export const RecordAnswer = Type.Object({
  deviceId: Type.String({ description: 'The channel' }),
  name: Type.String(),
  filePath: Type.String(),
  address: Type.String(),
  startTime: Type.String({ description: "By the device's clock, with its offset" }),
  endTime: Type.String(),
  secrecy: Type.Integer(),
  type: Type.String({ description: 'time, alarm or manual' }),
  recorderId: Type.String(),
})

/** `AlarmRecord` of the API. */
export const AlarmAnswer = Type.Object({
  id: Type.String(),
  deviceId: Type.String(),
  deviceName: Type.String(),
  channelId: Type.String(),
  alarmPriority: Type.String(),
  alarmMethod: Type.String(),
  alarmTime: Type.String({ format: 'date-time' }),
  alarmDescription: Type.String(),
  longitude: Type.Number(),
  latitude: Type.Number(),
  alarmType: Type.String(),
  createTime: Type.String({ format: 'date-time' }),
  alarmPriorityDesc: Type.String(),
  alarmMethodDesc: Type.String(),
  alarmTypeDesc: Type.String(),
})
