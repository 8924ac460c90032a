import { InvalidRequest, Type, type OperationRegistry } from 'sluice/sdk'
import { ChannelUnknown, DeviceUnknown } from '../errors.ts'
import type { Platform } from '../platform.ts'
import type { Channel } from '../registry/channel.ts'
import { GB_ID, type Device } from '../registry/device.ts'

/** Adds an operation whose errors are answered in the body, by the process that has the devices (api.md 7). */
export type AddOperation = OperationRegistry['add']

/** Returns how operations of this plugin are added. */
export function inBand(operations: OperationRegistry): AddOperation {
  return (operation) => operations.add({ ...operation, errors: 'in-band', reach: 'one' })
}

/** The id of a device, channel or platform. */
export const GbId = (description?: string) =>
  Type.String({ pattern: GB_ID.source, ...(description !== undefined && { description }) })

export const ONE_DEVICE = Type.Object({ deviceId: GbId() })
export const ONE_CHANNEL = Type.Object({ deviceId: GbId(), channelId: GbId() })

const MAX_ID = 2 ** 31 - 1

/** A number by which the database knows a row. */
export const RowId = () => Type.Integer({ minimum: 0, maximum: MAX_ID })

/** The query of a list, of which a client may ask for a page. */
export const PAGE_QUERY = {
  page: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_ID, description: 'From 1' })),
  count: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_ID, description: 'Of each page; 0 and nothing are all' }),
  ),
}

/** A page that a client asks for. */
export type PageQuery = { readonly page?: number; readonly count?: number }

/** The place of a page in its list; `limit` is undefined for all. */
export function placeOf({ page = 1, count = 0 }: PageQuery): {
  readonly offset: number
  readonly limit: number | undefined
} {
  return { offset: Math.max(0, page - 1) * count, limit: count === 0 ? undefined : count }
}

/** The page of a list that is asked for. */
export function pageOf<Item>(items: readonly Item[], query: PageQuery): readonly Item[] {
  const { offset, limit = items.length } = placeOf(query)
  return items.slice(offset, offset + limit)
}

/** @throws {DeviceUnknown} */
export function deviceOf({ registry }: Pick<Platform, 'registry'>, deviceId: string): Device {
  const device = registry.device(deviceId)
  if (device === undefined) throw new DeviceUnknown(deviceId)
  return device
}

/** @throws {ChannelUnknown} */
export function channelOf({ registry }: Pick<Platform, 'registry'>, deviceId: string, channelId: string): Channel {
  const channel = registry.channel(deviceId, channelId)
  if (channel === undefined) throw new ChannelUnknown(deviceId, channelId)
  return channel
}

/**
 * The device that obeys commands for one of its channels, or for itself.
 * @throws {DeviceUnknown} {ChannelUnknown}
 */
export function targetOf(
  platform: Pick<Platform, 'registry'>,
  { deviceId, channelId }: { readonly deviceId: string; readonly channelId: string },
): Device {
  const device = deviceOf(platform, deviceId)
  if (channelId !== deviceId) channelOf(platform, deviceId, channelId)
  return device
}

/**
 * The channel of an id of the API, `{device}_{channel}`.
 * @throws {InvalidRequest} when it is none
 * @throws {ChannelUnknown}
 */
export function channelByKey(platform: Pick<Platform, 'registry'>, id: string): Channel {
  const [deviceId = '', channelId = '', ...more] = id.split('_')
  if (more.length > 0 || !GB_ID.test(deviceId) || !GB_ID.test(channelId)) {
    throw new InvalidRequest('id must be that of a device and of a channel, with _ between them')
  }
  return channelOf(platform, deviceId, channelId)
}

/** True when a text that a client searches for is in one of these; an empty one is in all. */
export function isFound(query: string | undefined, ...texts: readonly string[]): boolean {
  const wanted = (query ?? '').trim().toLowerCase()
  return wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted))
}
