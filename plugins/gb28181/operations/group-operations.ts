import { Type, type Static } from 'sluice/sdk'
import { groupIn, levelOf, type Group, type GroupMember, type Groups } from '../groups/groups.ts'
import type { Platform } from '../platform.ts'
import type { Channel } from '../registry/channel.ts'
import { channelOf, GbId, pageOf, PAGE_QUERY, RowId, type AddOperation } from './requests.ts'
import { GroupChannelAnswer } from './schemas.ts'
import { deviceName, isPlaying, statusOf } from './views.ts'

/** The group above the root, which clients call so or by 0. */
const TOP = -1
const NONE = 0

const Name = () => Type.String({ minLength: 1, maxLength: 255 })
const ONE_GROUP = Type.Object({ groupId: RowId() })
const Members = Type.Array(Type.Object({ channelId: GbId(), deviceId: GbId() }), { maxItems: 100_000 })

const GROUP = {
  id: Type.Integer(),
  createTime: Type.String({ format: 'date-time' }),
  updateTime: Type.String({ format: 'date-time' }),
  name: Type.String(),
  pid: Type.Integer({ description: 'The group above; 0 of the root' }),
  level: Type.Integer({ description: '0 of the root' }),
  channels: Type.Array(GroupChannelAnswer),
}
/** `Group` of the API, whose children are of its own kind. */
const GroupAnswer = Type.Object({
  ...GROUP,
  children: Type.Array(Type.Unsafe<GroupView>({ type: 'object', description: 'Groups, as this one' })),
})

type GroupChannelView = Static<typeof GroupChannelAnswer>
type GroupView = {
  readonly id: number
  readonly createTime: string
  readonly updateTime: string
  readonly name: string
  readonly pid: number
  readonly level: number
  readonly channels: GroupChannelView[]
  readonly children: GroupView[]
}

/** Adds the operations of groups of channels (api.md 7). */
export function addGroupOperations(add: AddOperation, platform: Platform, groups: Groups): void {
  const { registry } = platform

  add({
    method: 'GET',
    path: 'api/groups/{pid}',
    summary: 'Query device groups: those below a group, with theirs and the channels',
    params: Type.Object({ pid: Type.Integer({ minimum: TOP, maximum: 2 ** 31 - 1, description: '-1 for the root' }) }),
    query: Type.Object({
      channels: Type.Optional(Type.Boolean({ description: 'false leaves the channels out' })),
    }),
    answer: Type.Array(GroupAnswer),
    async handle({ params: { pid }, query: { channels = true } }) {
      const all = await groups.all()
      const top = pid === TOP ? NONE : pid
      if (top !== NONE) groupIn(all, top)
      const members = channels ? await groups.members(all.map(({ id }) => id)) : []
      const byGroup = Map.groupBy(members, ({ groupId }) => groupId)
      const below = Map.groupBy(all, (group) => group.pid)
      const viewsBelow = (id: number, level: number): GroupView[] =>
        (below.get(id) ?? []).map((group) => ({
          ...groupView(group, level),
          channels: (byGroup.get(group.id) ?? []).flatMap((member) => memberView(member) ?? []),
          children: viewsBelow(group.id, level + 1),
        }))
      return viewsBelow(top, levelOf(all, top) + 1)
    },
  })

  add({
    method: 'POST',
    path: 'api/groups/add',
    summary: 'Add group',
    body: Type.Object({ name: Name(), pid: RowId() }),
    answer: Type.Object({ id: Type.Integer() }),
    handle: async ({ body }) => ({ id: await groups.add(body) }),
  })

  add({
    method: 'POST',
    path: 'api/groups/update',
    summary: 'Update group: rename it, or put it below another',
    body: Type.Object({ id: RowId(), name: Type.Optional(Name()), pid: Type.Optional(RowId()) }),
    async handle({ body: { id, name, pid } }) {
      await groups.update(id, { name, pid: pid === NONE ? undefined : pid })
    },
  })

  add({
    method: 'POST',
    path: 'api/groups/delete/{id}',
    summary: 'Delete a group, with those below it',
    params: Type.Object({ id: RowId() }),
    handle: ({ params: { id } }) => groups.remove(id),
  })

  add({
    method: 'GET',
    path: 'api/groups/{groupId}/channels',
    summary: 'List channels in a group, beside a page of all channels',
    params: ONE_GROUP,
    query: Type.Object({
      ...PAGE_QUERY,
      deviceId: Type.Optional(GbId('Channels of this device alone')),
      inGroup: Type.Optional(
        Type.Boolean({ description: 'true: the page is of the channels in the group, and channels is empty' }),
      ),
    }),
    answer: Type.Object({
      total: Type.Integer({ description: 'All channels, or those of the device' }),
      data: Type.Object({
        list: Type.Array(GroupChannelAnswer, { description: 'This page of all channels' }),
        channels: Type.Array(GroupChannelAnswer, { description: 'The channels in the group' }),
      }),
    }),
    wire: 'fields',
    async handle({ params: { groupId }, query: { deviceId, inGroup = false, ...page } }) {
      groupIn(await groups.all(), groupId)
      const members = await groups.members([groupId])
      if (inGroup) {
        const found = members.filter((member) => deviceId === undefined || member.deviceId === deviceId)
        const list = pageOf(found, page).flatMap((member) => memberView(member) ?? [])
        return { total: found.length, data: { list, channels: [] } }
      }
      const rows = new Map(members.map((member) => [keyOf(member), member.id]))
      const all = deviceId === undefined ? [...registry.allChannels()] : registry.channelsOf(deviceId)
      const list = pageOf(all, page).map((channel) => {
        const id = rows.get(keyOf(channel))
        return groupChannelView(channel, id === undefined ? undefined : { id, groupId })
      })
      return { total: all.length, data: { list, channels: members.flatMap((member) => memberView(member) ?? []) } }
    },
  })

  add({
    method: 'POST',
    path: 'api/groups/channel/add/{groupId}',
    summary: 'Add channels to a group, in place of all that are in it',
    params: ONE_GROUP,
    query: Type.Object({
      replace: Type.Optional(Type.Boolean({ description: 'false: beside those that are in it' })),
    }),
    body: Members,
    async handle({ params: { groupId }, query: { replace = true }, body }) {
      for (const { deviceId, channelId } of body) channelOf(platform, deviceId, channelId)
      await (replace ? groups.setMembers(groupId, body) : groups.addMembers(groupId, body))
    },
  })

  add({
    method: 'POST',
    path: 'api/groups/channel/delete/{groupId}',
    summary: 'Take channels out of a group',
    params: ONE_GROUP,
    body: Members,
    handle: ({ params: { groupId }, body }) => groups.removeMembers(groupId, body),
  })

  /** A channel of a group; undefined of one that is not there any more. */
  function memberView({ id, groupId, deviceId, channelId }: GroupMember): GroupChannelView | undefined {
    const channel = registry.channel(deviceId, channelId)
    return channel === undefined ? undefined : groupChannelView(channel, { id, groupId })
  }

  /** @param member of the group that is shown; undefined where the channel is not in it */
  function groupChannelView(
    channel: Channel,
    member: Pick<GroupMember, 'id' | 'groupId'> | undefined,
  ): GroupChannelView {
    const { deviceId, channelId, name, customName } = channel
    return {
      id: member?.id ?? 0,
      groupId: member?.groupId ?? 0,
      channelId,
      deviceId,
      channelName: customName || name,
      deviceName: deviceName(platform, deviceId),
      status: statusOf(platform, channel),
      playing: isPlaying(platform, channel),
      streamMode: registry.device(deviceId)?.streamMode ?? '',
      inGroup: member !== undefined,
    }
  }
}

function groupView({ id, pid, name, createdMs, updatedMs }: Group, level: number) {
  const [createTime, updateTime] = [new Date(createdMs).toISOString(), new Date(updatedMs).toISOString()]
  return { id, pid, name, level, createTime, updateTime }
}

function keyOf({ deviceId, channelId }: Pick<GroupMember, 'deviceId' | 'channelId'>): string {
  return `${deviceId}_${channelId}`
}
