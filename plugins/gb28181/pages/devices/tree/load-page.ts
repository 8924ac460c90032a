import type { Paths } from 'sluice/api'
import { channelState } from '../channel.ts'
import type { DevicesConsole } from '../console-context.ts'
import type { ChannelItem, TreeItem, TreeList } from './tree-items.ts'

/** Rows that the server is asked for at a time. */
export const PAGE_SIZE = 100

const ALL = 2
const ADDED_BY_OPERATORS = 1

/** A page of a list, as it has come. */
export type LoadedPage = { readonly total: number; readonly items: readonly TreeItem[] }

type Answer<Key extends keyof Paths> = Paths[Key]['answer']
type ListedChannel = Answer<'GET /gb28181/api/channel/list'>['data'][number]
type ChannelOfDevice = Answer<'GET /gb28181/api/devices/{deviceId}/channels'>['data'][number]

/** Asks for a page of a list, which counts from 0. */
export async function loadPage(api: DevicesConsole['api'], list: TreeList, page: number): Promise<LoadedPage> {
  const paging = { page: page + 1, count: PAGE_SIZE }
  switch (list.kind) {
    case 'devices': {
      const query = { ...paging, status: ALL, channels: false, query: list.query }
      const { total, data } = await api.call('GET /gb28181/api/list', { query })
      return {
        total,
        items: data.map(({ deviceId, name, online, channelCount }) => {
          return {
            kind: 'device',
            deviceId,
            name: name || deviceId,
            state: online ? 'online' : 'offline',
            channelCount,
          }
        }),
      }
    }
    case 'channels': {
      const { deviceId } = list
      const input = { params: { deviceId }, query: { ...paging, top: true } }
      const { total, data } = await api.call('GET /gb28181/api/devices/{deviceId}/channels', input)
      return { total, items: data.map((channel) => channelOfDevice(deviceId, channel)) }
    }
    case 'below': {
      const { deviceId, channelId } = list
      const input = { params: { deviceId, channelId }, query: paging }
      const { total, data } = await api.call('GET /gb28181/api/sub_channels/{deviceId}/{channelId}/channels', input)
      return { total, items: data.map((channel) => channelOfDevice(deviceId, channel)) }
    }
    case 'custom':
      return listed(await api.call('GET /gb28181/api/channel/list', { query: { ...paging, type: ADDED_BY_OPERATORS } }))
    case 'found':
      return listed(await api.call('GET /gb28181/api/channel/list', { query: { ...paging, query: list.query } }))
    case 'members': {
      const { groupId } = list
      const input = { params: { groupId }, query: { ...paging, inGroup: true } }
      const { total, data } = await api.call('GET /gb28181/api/groups/{groupId}/channels', input)
      const items = data.list.map(({ deviceId, channelId, channelName, deviceName, status, playing }): ChannelItem => {
        const name = channelName || channelId
        return {
          kind: 'channel',
          deviceId,
          channelId,
          name,
          deviceName,
          groupId,
          state: channelState(status, playing),
          subCount: 0,
        }
      })
      return { total, items }
    }
  }
}

function channelOfDevice(deviceId: string, channel: ChannelOfDevice): ChannelItem {
  const { channelId, name, customChannelName, status, playing, subCount } = channel
  const shown = customChannelName || name || channelId
  return { kind: 'channel', deviceId, channelId, name: shown, state: channelState(status, playing), subCount }
}

function listed({ total, data }: { readonly total: number; readonly data: readonly ListedChannel[] }): LoadedPage {
  const items = data.map((channel): ChannelItem => {
    const { deviceId, channelId, channelName, customChannelName, deviceName, status, playing } = channel
    const name = customChannelName || channelName || channelId
    return { kind: 'channel', deviceId, channelId, name, deviceName, state: channelState(status, playing), subCount: 0 }
  })
  return { total, items }
}
