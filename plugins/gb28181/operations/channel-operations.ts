import { InvalidRequest, StreamPath, StreamUnavailable, Type, type Static } from 'sluice/sdk'
import { ChannelExists, ChannelUnknown, DeviceUnknown } from '../errors.ts'
import type { Groups } from '../groups/groups.ts'
import type { Platform } from '../platform.ts'
import { isChannelOn } from '../registry/channel-status.ts'
import { newChannel, type Channel } from '../registry/channel.ts'
import { CHANNEL_FIELDS, channelFields, CustomId, otherPath } from './channel-fields.ts'
import {
  channelByKey,
  channelOf,
  deviceOf,
  GbId,
  isFound,
  ONE_CHANNEL,
  ONE_DEVICE,
  pageOf,
  PAGE_QUERY,
  type AddOperation,
} from './requests.ts'
import { AddressedChannelAnswer, ChannelAnswer, ListedChannelAnswer, RawChannelAnswer } from './schemas.ts'
import { addressedChannelView, addressOf, channelView, listedChannelView, rawChannelView } from './views.ts'

/** The types of ids that stand for a part of the tree of channels and no camera (GB/T 28181-2022 annex E). */
const NODE = /^(?:\d{1,8}|\d{10}(?:215|216)\d{7})$/u

const ChannelKey = () => Type.String({ description: 'Of the device and the channel, with _ between them' })

const ChannelsQuery = Type.Object({
  ...PAGE_QUERY,
  query: Type.Optional(Type.String({ description: 'A part of an id or a name' })),
  online: Type.Optional(Type.Boolean({ description: 'Those that are on, or that are not; both unless given' })),
  channelType: Type.Optional(
    Type.Boolean({ description: 'Those with channels below them, or those without; both unless given' }),
  ),
  top: Type.Optional(
    Type.Boolean({ description: 'true: those below no other channel of their device; all unless given' }),
  ),
})
const ChannelPage = Type.Object({
  total: Type.Integer(),
  data: Type.Array(
    Type.Object({ ...ChannelAnswer.properties, subCount: Type.Integer({ description: 'Channels below it' }) }),
  ),
})

/** Adds the operations that list and change channels (api.md 7). */
export function addChannelOperations(add: AddOperation, platform: Platform, groups: Pick<Groups, 'forget'>): void {
  const { registry, ctx } = platform

  /** The page of some channels of a device that is asked for. Their `deviceId` is their own id, as clients know it (api.md 7.3). */
  function listed(channels: readonly Channel[], all: readonly Channel[], asked: Static<typeof ChannelsQuery>) {
    const { query, online, channelType, top = false, ...page } = asked
    const subCounts = countBelow(all)
    const found = channels.filter((channel) => {
      const { channelId, name, customName, customChannelId, parental } = channel
      const isParent = parental === 1 || NODE.test(channelId) || subCounts.get(channelId)! > 0
      if (top && isBelowOther(channel, subCounts)) return false
      if (channelType !== undefined && channelType !== isParent) return false
      if (online !== undefined && online !== isChannelOn(channel, { registry, streams: ctx.streams })) return false
      return isFound(query, channelId, name, customName, customChannelId)
    })
    const data = pageOf(found, page).map((channel) => ({
      ...channelView(platform, channel),
      deviceId: channel.channelId,
      subCount: subCounts.get(channel.channelId) ?? 0,
    }))
    return { total: found.length, data }
  }

  add({
    method: 'GET',
    path: 'api/devices/{deviceId}/channels',
    summary: 'Get channels by device id',
    params: ONE_DEVICE,
    query: ChannelsQuery,
    answer: ChannelPage,
    wire: 'fields',
    handle({ params: { deviceId }, query }) {
      const channels = registry.channelsOf(deviceId)
      // Those that operators have added may be of no device.
      if (channels.length === 0) deviceOf(platform, deviceId)
      return listed(channels, channels, query)
    },
  })

  add({
    method: 'GET',
    path: 'api/sub_channels/{deviceId}/{channelId}/channels',
    summary: 'Get the channels below a channel',
    params: ONE_CHANNEL,
    query: ChannelsQuery,
    answer: ChannelPage,
    wire: 'fields',
    handle({ params: { deviceId, channelId }, query }) {
      if (channelId === deviceId) deviceOf(platform, deviceId)
      else channelOf(platform, deviceId, channelId)
      const isBelow = ({ parentId }: Channel) => parentId.split('/').includes(channelId)
      const channels = registry.channelsOf(deviceId)
      return listed(channels.filter(isBelow), channels, query)
    },
  })

  add({
    method: 'GET',
    path: 'api/channel/list',
    summary: 'List the channels of all devices, and those that operators have added',
    query: Type.Object({
      ...PAGE_QUERY,
      query: Type.Optional(Type.String({ description: 'A part of an id or a name' })),
      type: Type.Optional(Type.Integer({ description: '0: of devices, 1: added by operators; else all' })),
    }),
    answer: Type.Object({ total: Type.Integer(), data: Type.Array(ListedChannelAnswer) }),
    wire: 'fields',
    handle({ query: { query, type, ...page } }) {
      const found = [...registry.allChannels()].filter((channel) => {
        const { deviceId, channelId, name, customName, customChannelId, isCustom } = channel
        if ((type === 0 && isCustom) || (type === 1 && !isCustom)) return false
        return isFound(query, deviceId, channelId, name, customName, customChannelId)
      })
      return { total: found.length, data: pageOf(found, page).map((channel) => listedChannelView(platform, channel)) }
    },
  })

  add({
    method: 'GET',
    path: 'api/channel/raw',
    summary: 'Get all that a channel has',
    query: Type.Object({ id: ChannelKey() }),
    answer: RawChannelAnswer,
    handle: ({ query: { id } }) => rawChannelView(platform, channelByKey(platform, id)),
  })

  add({
    method: 'GET',
    path: 'api/channel/ip/{ip}',
    summary: 'Find channels by the address of the camera, or of its device',
    params: Type.Object({ ip: Type.String({ maxLength: 64 }) }),
    answer: Type.Object({ total: Type.Integer(), data: Type.Array(AddressedChannelAnswer) }),
    wire: 'fields',
    handle({ params: { ip } }) {
      const found = [...registry.allChannels()].filter((channel) => addressOf(platform, channel) === ip)
      return { total: found.length, data: found.map((channel) => addressedChannelView(platform, channel)) }
    },
  })

  add({
    method: 'POST',
    path: 'api/channel/add',
    summary: 'Add a channel that no catalog has: of a device, or of a stream',
    body: Type.Object({
      deviceId: Type.Optional(GbId('A device, or the id of the channel: one of a stream. The latter unless given')),
      channelId: GbId(),
      customChannelId: Type.Optional(CustomId()),
      channelName: Type.Optional(Type.String({ maxLength: 255 })),
      customChannelName: Type.Optional(Type.String({ maxLength: 255 })),
      streamPath: Type.Optional(StreamPath()),
    }),
    handle({ body }) {
      const { channelId, deviceId = channelId, customChannelId = '', channelName = '', customChannelName = '' } = body
      const { streamPath = '' } = body
      if (registry.device(deviceId) === undefined) {
        if (deviceId !== channelId) throw new DeviceUnknown(deviceId)
        if (streamPath === '') throw new InvalidRequest('streamPath is missing: the channel is of no device')
      }
      if (registry.channel(deviceId, channelId) !== undefined) throw new ChannelExists(channelId)
      assertFree(customChannelId)
      const names = { name: channelName, customName: customChannelName, customChannelId }
      const channel = newChannel(deviceId, channelId, {
        ...names,
        streamPath: otherPath({ deviceId, channelId }, streamPath),
        isCustom: true,
        isOn: streamPath === '',
        updatedMs: Date.now(),
      })
      if (!registry.setChannel(channel)) throw new StreamUnavailable(`device ${deviceId} has too many channels`)
    },
  })

  /** @throws {ChannelExists} when another channel is called so */
  function assertFree(customChannelId: string, except?: Channel): void {
    if (customChannelId === '') return
    for (const other of registry.allChannels()) {
      if (other !== except && other.customChannelId === customChannelId) throw new ChannelExists(customChannelId)
    }
  }

  add({
    method: 'POST',
    path: 'api/channel/update/{id}',
    summary: 'Update channel; what is left out stays as it is, and what its catalog says comes again with the next one',
    params: Type.Object({ id: ChannelKey() }),
    body: Type.Object({
      ...CHANNEL_FIELDS,
      customChannelId: Type.Optional(CustomId()),
      customChannelName: Type.Optional(Type.String({ maxLength: 255 })),
      streamPath: Type.Optional(Type.String({ description: 'The stream that is played; empty: that of the device' })),
    }),
    handle({ params: { id }, body: { customChannelId, customChannelName, streamPath, ...fields } }) {
      const channel = channelByKey(platform, id)
      assertFree(customChannelId ?? '', channel)
      registry.changeChannel(channel, {
        ...channelFields(fields),
        ...(customChannelId !== undefined && { customChannelId }),
        ...(customChannelName !== undefined && { customName: customChannelName }),
        ...(streamPath !== undefined && { streamPath: otherPath(channel, streamPath) }),
      })
    },
  })

  add({
    method: 'POST',
    path: 'api/channel/delete/{id}',
    summary: 'Delete a channel; one of a device is there again with its next catalog',
    params: Type.Object({ id: ChannelKey() }),
    async handle({ params: { id } }) {
      const channel = channelByKey(platform, id)
      if (ctx.database.exists) await groups.forget(channel)
      registry.removeChannel(channel)
    },
  })

  add({
    method: 'POST',
    path: 'api/channel/audio',
    summary: 'Fetch the sound of a channel with its pictures, or not; from its next stream on',
    body: Type.Object({ deviceId: Type.Optional(GbId()), channelId: GbId(), audio: Type.Boolean() }),
    handle({ body: { deviceId, channelId, audio } }) {
      registry.changeChannel(channelNamed(deviceId, channelId), { hasAudio: audio })
    },
  })

  add({
    method: 'POST',
    path: 'api/channel/stream/identification/update',
    summary: 'Fetch the main or the second stream of a channel; from its next stream on',
    body: Type.Object({
      deviceId: Type.Optional(GbId()),
      channelId: GbId(),
      streamIdentification: Type.String({
        pattern: '^([A-Za-z]{1,16}:)?(main|sub|0|1)$',
        description: 'main or sub, as 0 or 1, with or without a word before it: stream:1',
      }),
    }),
    handle({ body: { deviceId, channelId, streamIdentification } }) {
      const streamNumber = /(?:sub|1)$/u.test(streamIdentification) ? 1 : 0
      registry.changeChannel(channelNamed(deviceId, channelId), { streamNumber })
    },
  })

  /** @throws {ChannelUnknown} */
  function channelNamed(deviceId: string | undefined, channelId: string): Channel {
    if (deviceId !== undefined) return channelOf(platform, deviceId, channelId)
    const found = [...registry.allChannels()].find((channel) => channel.channelId === channelId)
    if (found === undefined) throw new ChannelUnknown('any', channelId)
    return found
  }
}

/** The numbers of channels below each one of a device, by their ids. */
function countBelow(channels: readonly Channel[]): ReadonlyMap<string, number> {
  const counts = new Map(channels.map(({ channelId }) => [channelId, 0]))
  for (const { channelId, parentId } of channels) {
    for (const id of parentId.split('/')) {
      const count = counts.get(id)
      if (count !== undefined && id !== channelId) counts.set(id, count + 1)
    }
  }
  return counts
}

/** @param siblings the channels of its device, by their ids */
function isBelowOther({ channelId, parentId }: Channel, siblings: ReadonlyMap<string, unknown>): boolean {
  return parentId.split('/').some((id) => id !== channelId && siblings.has(id))
}
