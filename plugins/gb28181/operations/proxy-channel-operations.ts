import { InvalidRequest, StreamPath, Type } from 'sluice/sdk'
import { ChannelExists, ChannelUnknown } from '../errors.ts'
import type { Groups } from '../groups/groups.ts'
import type { Platform } from '../platform.ts'
import { newChannel, type Channel } from '../registry/channel.ts'
import { CHANNEL_FIELDS, channelFields, otherPath } from './channel-fields.ts'
import { GbId, type AddOperation } from './requests.ts'

const ONE = Type.Object({ channelId: GbId() })

/** Adds the operations of channels whose pictures are those of a stream, as of a pull proxy (spec.md, api.md 7). */
export function addProxyChannelOperations(add: AddOperation, platform: Platform, groups: Pick<Groups, 'forget'>): void {
  const { registry, ctx } = platform

  add({
    method: 'POST',
    path: 'api/channel/add_with_proxy/{streamPath}',
    summary: 'Add channel with pull proxy: viewers of {channelId}/{channelId} get the stream',
    params: Type.Object({ streamPath: StreamPath() }),
    body: Type.Object({
      ...CHANNEL_FIELDS,
      channelId: GbId(),
      name: Type.String({ minLength: 1, maxLength: 255 }),
    }),
    handle({ params, body: { channelId, ...fields } }) {
      for (const other of registry.allChannels()) {
        const isTaken = other.deviceId === channelId && other.channelId === channelId
        if (isTaken || other.customChannelId === channelId) throw new ChannelExists(channelId)
      }
      const streamPath = proxyPath(channelId, params.streamPath)
      const channel = { ...channelFields(fields), streamPath, isCustom: true, updatedMs: Date.now() }
      registry.setChannel(newChannel(channelId, channelId, channel))
    },
  })

  add({
    method: 'POST',
    path: 'api/channel/update_with_proxy/{channelId}',
    summary: 'Modify channel with pull proxy; what is left out stays as it is',
    params: ONE,
    body: Type.Object({ ...CHANNEL_FIELDS, streamPath: Type.Optional(StreamPath()) }),
    handle({ params: { channelId }, body: { streamPath, ...fields } }) {
      const channel = proxyChannel(channelId)
      registry.changeChannel(channel, {
        ...channelFields(fields),
        ...(streamPath !== undefined && { streamPath: proxyPath(channelId, streamPath) }),
      })
    },
  })

  add({
    method: 'POST',
    path: 'api/channel/delete_with_proxy/{channelId}',
    summary: 'Delete channel with pull proxy; the proxy stays',
    params: ONE,
    async handle({ params: { channelId } }) {
      const channel = proxyChannel(channelId)
      if (ctx.database.exists) await groups.forget(channel)
      registry.removeChannel(channel)
    },
  })

  /** @throws {ChannelUnknown} */
  function proxyChannel(channelId: string): Channel {
    const channel = registry.channel(channelId, channelId)
    if (channel === undefined || !channel.isCustom) throw new ChannelUnknown(channelId, channelId)
    return channel
  }
}

/** @throws {InvalidRequest} when a channel would lead to itself */
function proxyPath(channelId: string, text: string): string {
  const streamPath = otherPath({ deviceId: channelId, channelId }, text)
  if (streamPath === '') throw new InvalidRequest('streamPath must be that of another stream')
  return streamPath
}
