import type { ChannelIds, DeviceState } from '../channel.ts'

/** A group of channels, with those below it. */
export type GroupItem = {
  readonly kind: 'group'
  readonly groupId: number
  readonly name: string
  readonly isRoot: boolean
  readonly children: readonly GroupItem[]
}

export type DeviceItem = {
  readonly kind: 'device'
  readonly deviceId: string
  readonly name: string
  readonly state: DeviceState
  readonly channelCount: number
}

export type ChannelItem = ChannelIds & {
  readonly kind: 'channel'
  readonly name: string
  readonly state: DeviceState
  /** The device that it is of, where the tree does not show that. */
  readonly deviceName?: string
  /** The group that it is listed in. */
  readonly groupId?: number
  /** Channels below it. */
  readonly subCount: number
}

/** A heading of some rows. */
export type FolderItem = {
  readonly kind: 'folder'
  readonly name: string
  readonly id: 'custom' | 'devices' | 'channels'
}

export type TreeItem = GroupItem | DeviceItem | ChannelItem | FolderItem

/** A list in the tree, of which the server answers a page at a time. */
export type TreeList =
  | { readonly kind: 'devices'; readonly query: string }
  /** The channels of a device that are below no other. */
  | { readonly kind: 'channels'; readonly deviceId: string }
  | ({ readonly kind: 'below' } & ChannelIds)
  /** The channels that operators have added. */
  | { readonly kind: 'custom' }
  /** Channels of all devices that are searched for. */
  | { readonly kind: 'found'; readonly query: string }
  | { readonly kind: 'members'; readonly groupId: number }

/** The identity of a list, by which its rows are kept. */
export function keyOfList(list: TreeList): string {
  return JSON.stringify(list)
}

/** The identity of an item, by which it is open or chosen. */
export function keyOfItem(item: TreeItem): string {
  switch (item.kind) {
    case 'group':
      return `group:${item.groupId}`
    case 'device':
      return `device:${item.deviceId}`
    case 'channel':
      return `channel:${item.deviceId}_${item.channelId}`
    case 'folder':
      return `folder:${item.id}`
  }
}
