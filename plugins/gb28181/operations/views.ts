import type { Static } from 'sluice/sdk'
import { describeAlarm } from '../manscdp/alarm.ts'
import type { RecordItem } from '../manscdp/record-info.ts'
import { serializeGbTimeWithOffset, type GbClock } from '../manscdp/times.ts'
import type { Platform } from '../platform.ts'
import { isChannelOn } from '../registry/channel-status.ts'
import { channelKey, livePath, type Channel } from '../registry/channel.ts'
import type { Device } from '../registry/device.ts'
import type { AlarmRow } from '../registry/tables.ts'
import type {
  AddressedChannelAnswer,
  AlarmAnswer,
  ChannelAnswer,
  DeviceAnswer,
  ListedChannelAnswer,
  RawChannelAnswer,
  RecordAnswer,
} from './schemas.ts'

/** The text that stands for a password in answers. */
export const MASK = '******'

/** The parts of the platform that views need. */
export type Shown = Pick<Platform, 'registry' | 'ctx'>

/** A device as `Device` of the API. */
export function deviceView(shown: Shown, device: Device, channels: readonly Channel[]): Static<typeof DeviceAnswer> {
  const { streamMode, mediaIp, sipIp, longitude, latitude, charset, ends } = device
  return {
    deviceId: device.id,
    name: device.name || device.ownName,
    manufacturer: device.manufacturer,
    model: device.model,
    firmware: device.firmware,
    version: device.version,
    longitude,
    latitude,
    status: device.isOnline ? 'ONLINE' : 'OFFLINE',
    mediaIp,
    registerTime: momentOf(device.registeredMs),
    updateTime: momentOf(device.updatedMs),
    keepAliveTime: momentOf(device.keptAliveMs),
    channelCount: shown.registry.channelCount(device.id),
    online: device.isOnline,
    channels: channels.map((channel) => channelView(shown, channel)),
    sipIp,
    streamMode,
    password: masked(device.password),
    subscribeCatalog: device.subscribeCatalog,
    subscribePosition: device.subscribePosition,
    subscribeAlarm: device.subscribeAlarm,
    transport: ends?.transport ?? '',
    ip: ends?.remote.host ?? '',
    port: ends?.remote.port ?? 0,
    broadcastPushAfterAck: device.broadcastPushAfterAck,
    charset,
    ssrcCheck: device.ssrcCheck,
    sendDate: device.sendsDate,
  }
}

/** A channel as `Channel` of the API. */
export function channelView(shown: Shown, channel: Channel): Static<typeof ChannelAnswer> {
  const { deviceId, channelId } = channel
  return {
    id: channelKey(deviceId, channelId),
    deviceId,
    channelId,
    parentId: channel.parentId,
    name: channel.name,
    manufacturer: channel.manufacturer,
    model: channel.model,
    owner: channel.owner,
    civilCode: channel.civilCode,
    address: channel.address,
    port: channel.port,
    parental: channel.parental,
    safetyWay: channel.safetyWay,
    registerWay: channel.registerWay,
    secrecy: channel.secrecy,
    status: statusOf(shown, channel),
    playing: isPlaying(shown, channel),
    gpsTime: momentOf(channel.positionMs),
    longitude: channel.longitude,
    latitude: channel.latitude,
    streamPath: playedPath(channel),
    customChannelId: channel.customChannelId,
    customChannelName: channel.customName,
  }
}

/** A channel with all that it has. */
export function rawChannelView(shown: Shown, channel: Channel): Static<typeof RawChannelAnswer> {
  return {
    ...channel,
    ...channelView(shown, channel),
    password: masked(channel.password),
    channelType: typeOf(channel),
    audio: channel.hasAudio,
    streamIdentification: channel.streamNumber === 0 ? 'main' : 'sub',
  }
}

/** A channel in lists of all channels. */
export function listedChannelView(shown: Shown, channel: Channel): Static<typeof ListedChannelAnswer> {
  const { deviceId, channelId, name, customChannelId, customName } = channel
  return {
    id: channelKey(deviceId, channelId),
    channelId,
    customChannelId,
    channelName: name,
    customChannelName: customName,
    deviceId,
    deviceName: deviceName(shown, deviceId),
    streamPath: playedPath(channel),
    channelType: typeOf(channel),
    status: statusOf(shown, channel),
    playing: isPlaying(shown, channel),
  }
}

/** A channel that was found by its address. */
export function addressedChannelView(shown: Shown, channel: Channel): Static<typeof AddressedChannelAnswer> {
  const { deviceId, channelId, name, customChannelId, customName } = channel
  return {
    deviceId,
    channelId,
    channelName: name,
    customChannelId,
    customChannelName: customName,
    ipAddress: addressOf(shown, channel),
    status: statusOf(shown, channel),
    streamPath: playedPath(channel),
  }
}

/** A recording of a device as `GbRecord` of the API. */
export function recordView(item: RecordItem, clock: GbClock): Static<typeof RecordAnswer> {
  return {
    deviceId: item.deviceId,
    name: item.name ?? '',
    filePath: item.filePath ?? '',
    address: item.address ?? '',
    startTime: serializeGbTimeWithOffset(item.startMs, clock),
    endTime: serializeGbTimeWithOffset(item.endMs, clock),
    secrecy: item.secrecy ?? 0,
    type: item.type ?? '',
    recorderId: item.recorderId ?? '',
  }
}

/** A stored alarm as `AlarmRecord` of the API. */
export function alarmView(shown: Shown, alarm: AlarmRow): Static<typeof AlarmAnswer> {
  const words = describeAlarm(alarm)
  return {
    id: alarm.id,
    deviceId: alarm.device_id,
    deviceName: deviceName(shown, alarm.device_id),
    channelId: alarm.channel_id,
    alarmPriority: String(alarm.priority),
    alarmMethod: String(alarm.method),
    alarmTime: new Date(alarm.alarm_ms).toISOString(),
    alarmDescription: alarm.description,
    longitude: alarm.longitude,
    latitude: alarm.latitude,
    alarmType: String(alarm.type),
    createTime: new Date(alarm.created_ms).toISOString(),
    alarmPriorityDesc: words.priority,
    alarmMethodDesc: words.method,
    alarmTypeDesc: words.type,
  }
}

/** The name of a device; empty of one that is not there. */
export function deviceName({ registry }: Shown, deviceId: string): string {
  const device = registry.device(deviceId)
  return device?.name || device?.ownName || ''
}

/** The address of a camera: its own, or that of its device. */
export function addressOf({ registry }: Shown, { ipAddress, deviceId }: Channel): string {
  return ipAddress || (registry.device(deviceId)?.ends?.remote.host ?? '')
}

/** `ON` or `OFF`. */
export function statusOf({ registry, ctx }: Shown, channel: Channel): 'ON' | 'OFF' {
  return isChannelOn(channel, { registry, streams: ctx.streams }) ? 'ON' : 'OFF'
}

/** True while the stream of a channel is on this server. */
export function isPlaying({ ctx }: Pick<Shown, 'ctx'>, channel: Channel): boolean {
  return ctx.streams.get(playedPath(channel)) !== undefined
}

function playedPath(channel: Channel): string {
  return channel.streamPath || livePath(channel)
}

function typeOf({ isCustom }: Channel): 'custom' | 'device' {
  return isCustom ? 'custom' : 'device'
}

function masked(password: string): string {
  return password === '' ? '' : MASK
}

function momentOf(unixMs: number): string | null {
  return unixMs === 0 ? null : new Date(unixMs).toISOString()
}
