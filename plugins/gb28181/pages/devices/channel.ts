/** A channel by its ids. */
export type ChannelIds = { readonly deviceId: string; readonly channelId: string }

/** A channel as the wall and the tree show it. */
export type NamedChannel = ChannelIds & { readonly name: string }

/** The state of a device or a channel: `busy` while the pictures of a channel are on this server. */
export type DeviceState = 'online' | 'offline' | 'busy'

const IDS = /^[A-Za-z\d-]{1,32}$/u
const DRAG_TYPE = 'application/x-sluice-channel'

/** The path at which the live stream of a channel is. */
export function livePath({ deviceId, channelId }: ChannelIds): string {
  return `${deviceId}/${channelId}`
}

export function isSameChannel(one: ChannelIds | undefined, other: ChannelIds | undefined): boolean {
  return one !== undefined && one.deviceId === other?.deviceId && one.channelId === other.channelId
}

/** The state of a channel by its fields in the API. */
export function channelState(status: string | undefined, playing: boolean | undefined): DeviceState {
  if (status !== 'ON') return 'offline'
  return playing === true ? 'busy' : 'online'
}

/** Reads a channel of what was stored or dragged; undefined for anything else. */
export function parseChannel(value: unknown): NamedChannel | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { deviceId, channelId, name } = value as Readonly<Record<string, unknown>>
  if (typeof deviceId !== 'string' || typeof channelId !== 'string' || typeof name !== 'string') return undefined
  return IDS.test(deviceId) && IDS.test(channelId) ? { deviceId, channelId, name } : undefined
}

/** Puts a channel into what is dragged. */
export function dragChannel(data: DataTransfer, { deviceId, channelId, name }: NamedChannel): void {
  data.setData(DRAG_TYPE, JSON.stringify({ deviceId, channelId, name }))
  data.effectAllowed = 'copyMove'
}

export function isChannelDragged(data: DataTransfer): boolean {
  return data.types.includes(DRAG_TYPE)
}

/** The channel that was dropped; undefined for anything else. */
export function droppedChannel(data: DataTransfer): NamedChannel | undefined {
  try {
    return parseChannel(JSON.parse(data.getData(DRAG_TYPE)))
  } catch {
    return undefined
  }
}
