import { InvalidRequest, StreamUnavailable, Type, type Static } from 'sluice/sdk'
import { DeviceExists } from '../errors.ts'
import type { Groups } from '../groups/groups.ts'
import type { GbCharset } from '../manscdp/charset.ts'
import type { Platform } from '../platform.ts'
import type { Channel } from '../registry/channel.ts'
import { STREAM_MODES, type Device, type DeviceSettings, type StreamMode } from '../registry/device.ts'
import { MAX_CHANNELS, MAX_DEVICES } from '../registry/registry.ts'
import { deviceOf, GbId, isFound, ONE_DEVICE, pageOf, PAGE_QUERY, type AddOperation } from './requests.ts'
import { DeviceAnswer } from './schemas.ts'
import { deviceView, MASK } from './views.ts'

const ONLINE = 1
const OFFLINE = 0

const Host = () => Type.Optional(Type.String({ pattern: String.raw`^[A-Za-z\d.:-]{0,255}$` }))
const Degrees = () => Type.Optional(Type.String({ pattern: String.raw`^(-?\d{1,3}(\.\d{0,20})?)?$` }))
/** Thousands of channels make an answer long that somebody asks for again and again. */
const WithChannels = () => Type.Optional(Type.Boolean({ description: 'false leaves the channels out' }))
const Flag = (description?: string) => Type.Optional(Type.Boolean(description === undefined ? {} : { description }))

/** The fields of `Device` that operators set; those that are left out stay as they are. */
const DeviceBody = Type.Object({
  deviceId: GbId(),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  password: Type.Optional(
    Type.String({ maxLength: 128, description: 'Holds from the next registration on; empty or masked, it stays' }),
  ),
  streamMode: Type.Optional(Type.String({ description: STREAM_MODES.join(', ') })),
  charset: Type.Optional(Type.String({ description: 'GB2312, GB18030 or UTF-8; empty: as the device writes' })),
  mediaIp: Host(),
  sipIp: Host(),
  longitude: Degrees(),
  latitude: Degrees(),
  ssrcCheck: Flag(),
  broadcastPushAfterAck: Flag(),
  subscribeCatalog: Flag('Takes effect at once, as the two below'),
  subscribePosition: Flag(),
  subscribeAlarm: Flag(),
  sendDate: Flag('Off for devices that fail at the date in the answer to their registration'),
})

/** Adds the operations that list and change devices (api.md 7). */
export function addDeviceOperations(add: AddOperation, platform: Platform, groups: Pick<Groups, 'forget'>): void {
  const { registry, ctx } = platform

  add({
    method: 'GET',
    path: 'api/list',
    aliases: ['api/devices'],
    summary: 'Paged device list',
    query: Type.Object({
      ...PAGE_QUERY,
      query: Type.Optional(Type.String({ description: 'A part of an id, a name or an address' })),
      ip: Type.Optional(Type.String({ description: 'The address of the device' })),
      channels: WithChannels(),
      status: Type.Optional(
        Type.Integer({ description: '1: those that are online; 0, and unless given: those that are not; else all' }),
      ),
    }),
    answer: Type.Object({ total: Type.Integer(), data: Type.Array(DeviceAnswer) }),
    wire: 'fields',
    handle({ query: { query, ip, channels = true, status = OFFLINE, ...page } }) {
      const found = [...registry.devices].filter((device) => {
        const { id, name, ownName, ends } = device
        const host = ends?.remote.host ?? ''
        if (status === ONLINE ? !device.isOnline : status === OFFLINE && device.isOnline) return false
        return (ip ?? host) === host && isFound(query, id, name, ownName, host)
      })
      const rooms = { left: channels ? MAX_CHANNELS : 0 }
      const data = pageOf(found, page).map((device) => deviceView(platform, device, channelsWithin(device, rooms)))
      return { total: found.length, data }
    },
  })

  /** The channels of a device, as long as all that are listed are no more than there is room for. */
  function channelsWithin({ id }: Device, rooms: { left: number }): readonly Channel[] {
    if (registry.channelCount(id) > rooms.left) return []
    rooms.left -= registry.channelCount(id)
    return registry.channelsOf(id)
  }

  add({
    method: 'GET',
    path: 'api/devices/{deviceId}',
    summary: 'Get device by device id',
    params: ONE_DEVICE,
    query: Type.Object({ channels: WithChannels() }),
    answer: DeviceAnswer,
    handle({ params: { deviceId }, query: { channels = true } }) {
      const device = deviceOf(platform, deviceId)
      return deviceView(platform, device, channels ? registry.channelsOf(deviceId) : [])
    },
  })

  add({
    method: 'POST',
    path: 'api/device/add',
    summary: 'Add device, before it registers',
    body: DeviceBody,
    handle({ body }) {
      const settings = settingsOf(body)
      if (registry.device(body.deviceId) !== undefined) throw new DeviceExists(body.deviceId)
      const device = registry.deviceOrNew(body.deviceId)
      if (device === undefined) throw new StreamUnavailable(`there are ${MAX_DEVICES} devices already`)
      registry.changeDevice(device, settings)
    },
  })

  add({
    method: 'POST',
    path: 'api/device/update',
    summary: 'Update device; what is left out stays as it is',
    body: DeviceBody,
    handle({ body }) {
      const device = deviceOf(platform, body.deviceId)
      change(device, settingsOf(body))
    },
  })

  add({
    method: 'POST',
    path: 'api/transport/{deviceId}/{streamMode}',
    summary: 'Set how the media of a device comes',
    params: Type.Object({ deviceId: GbId(), streamMode: Type.String({ description: STREAM_MODES.join(', ') }) }),
    handle({ params: { deviceId, streamMode } }) {
      change(deviceOf(platform, deviceId), { streamMode: modeOf(streamMode) })
    },
  })

  function change(device: Device, settings: Partial<DeviceSettings>): void {
    registry.changeDevice(device, settings)
    if (device.isOnline) platform.subscriptions.renew(device, false)
  }

  add({
    method: 'POST',
    path: 'api/device/remove/{id}',
    aliases: ['GET api/device/remove/{id}', 'DELETE api/devices/{id}/delete'],
    summary: 'Delete device; one that is there registers anew',
    params: Type.Object({ id: GbId() }),
    answer: Type.Object({
      code: Type.Integer({ description: '200, or 0 where there is none' }),
      message: Type.String(),
    }),
    wire: 'fields',
    async handle({ params: { id } }) {
      const device = registry.device(id)
      if (device === undefined) return { code: 0, message: `there is no device ${id}` }
      if (ctx.database.exists) {
        await groups.forget({ deviceId: id })
        await platform.alarms.remove(id)
      }
      platform.forget(device)
      registry.removeDevice(id)
      return { code: 200, message: 'success' }
    },
  })
}

/** @throws {InvalidRequest} */
function settingsOf(body: Static<typeof DeviceBody>): Partial<DeviceSettings> {
  const { deviceId: _, password = '', streamMode = '', charset, sendDate, ...rest } = body
  return {
    ...rest,
    ...(password !== '' && password !== MASK && { password }),
    ...(streamMode !== '' && { streamMode: modeOf(streamMode) }),
    ...(charset !== undefined && { charset: charsetOf(charset) }),
    ...(sendDate !== undefined && { sendsDate: sendDate }),
  }
}

/** @throws {InvalidRequest} */
function modeOf(text: string): StreamMode {
  const mode = STREAM_MODES.find((each) => each === text.toUpperCase())
  if (mode === undefined) throw new InvalidRequest(`streamMode must be ${STREAM_MODES.join(' or ')}`)
  return mode
}

/** @throws {InvalidRequest} */
function charsetOf(text: string): GbCharset | '' {
  switch (text.toUpperCase().replaceAll('-', '')) {
    case '':
      return ''
    case 'GB2312':
      return 'GB2312'
    case 'GB18030':
    case 'GBK':
      return 'GB18030'
    case 'UTF8':
      return 'UTF-8'
    default:
      throw new InvalidRequest('charset must be GB2312, GB18030 or UTF-8')
  }
}
