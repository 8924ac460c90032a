import { expect } from 'chai'
import { keyOfList, type ChannelItem, type DeviceItem, type TreeItem, type TreeList } from './tree-items.ts'
import { parentIndex, treeRows, type LoadedList, type TreeRow } from './tree-rows.ts'

const DEVICES: TreeList = { kind: 'devices', query: '' }
const CHANNELS: TreeList = { kind: 'channels', deviceId: 'nvr' }

const device = (deviceId: string, channelCount = 0): DeviceItem => {
  return { kind: 'device', deviceId, name: deviceId, state: 'online', channelCount }
}
const channel = (channelId: string, subCount = 0): ChannelItem => {
  return { kind: 'channel', deviceId: 'nvr', channelId, name: channelId, state: 'online', subCount }
}
const list = (total: number, items: readonly TreeItem[], first = 0): LoadedList => {
  return { total, items: new Map(items.map((item, index) => [first + index, item])) }
}
const textOf = (rows: readonly TreeRow[]) =>
  rows.map(({ level, item, isOpenable, isOpen }) => {
    const sign = isOpen ? '-' : isOpenable ? '+' : ''
    return `${'.'.repeat(level - 1)}${sign}${item === undefined ? '?' : item.name}`
  })

describe('the rows of the tree', () => {
  it('keep the places of what has not come yet', () => {
    expect(textOf(treeRows([{ list: DEVICES }], new Map(), new Set()))).to.eql(['?'])
    const lists = new Map([[keyOfList(DEVICES), list(4, [device('nvr', 2), device('door')], 1)]])
    const rows = treeRows([{ list: DEVICES }], lists, new Set())
    expect(textOf(rows)).to.eql(['?', '+nvr', 'door', '?'])
    expect(rows.map(({ index, setSize }) => [index, setSize])).to.eql([0, 1, 2, 3].map((index) => [index, 4]))
  })

  it('are those below what is open', () => {
    const lists = new Map([
      [keyOfList(DEVICES), list(2, [device('nvr', 3), device('door', 1)])],
      [keyOfList(CHANNELS), list(2, [channel('house', 1), channel('yard')])],
      [keyOfList({ kind: 'below', deviceId: 'nvr', channelId: 'house' }), list(1, [channel('hall')])],
    ])
    const open = new Set(['device:nvr', 'channel:nvr_house'])
    const rows = treeRows([{ list: DEVICES }], lists, open)
    expect(textOf(rows)).to.eql(['-nvr', '.-house', '..hall', '.yard', '+door'])
    expect(rows.map((_, index) => parentIndex(rows, index))).to.eql([undefined, 0, 1, 0, undefined])
    expect(new Set(rows.map(({ key }) => key)).size).to.equal(rows.length)
  })

  it('end where channels are below each other in a circle', () => {
    const below = (channelId: string) => keyOfList({ kind: 'below', deviceId: 'nvr', channelId })
    const lists = new Map([
      [keyOfList(CHANNELS), list(1, [channel('a', 1)])],
      [below('a'), list(1, [channel('ab', 1)])],
      [below('ab'), list(1, [channel('a', 1)])],
    ])
    const rows = treeRows([{ list: CHANNELS }], lists, new Set(['channel:nvr_a', 'channel:nvr_ab']))
    expect(textOf(rows)).to.eql(['-a', '.-ab', '..a'])
  })

  it('have groups before their channels', () => {
    const members = (groupId: number): TreeList => ({ kind: 'members', groupId })
    const group = (groupId: number, name: string) => {
      return { kind: 'group', groupId, name, isRoot: false, children: [] } as const
    }
    const lists = new Map([
      [keyOfList(members(1)), list(1, [channel('yard')])],
      [keyOfList(members(2)), list(0, [])],
    ])
    const inner = { item: group(2, 'inner'), list: members(2) }
    const rows = treeRows(
      [{ item: group(1, 'outer'), children: [inner], list: members(1) }],
      lists,
      new Set(['group:1']),
    )
    expect(textOf(rows)).to.eql(['-outer', '.+inner', '.yard'])
  })
})
