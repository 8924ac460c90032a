import { keyOfItem, keyOfList, type TreeItem, type TreeList } from './tree-items.ts'

/** The rows of a list that have come, by their places in it. */
export type LoadedList = { readonly total: number; readonly items: ReadonlyMap<number, TreeItem> }

/** An item at the top of the tree with what is below it; a list alone has its rows at the top. */
export type TreeRoot =
  | { readonly item: TreeItem; readonly list?: TreeList; readonly children?: readonly TreeRoot[] }
  | { readonly list: TreeList }

/** A row of the tree. */
export type TreeRow = {
  /** Unique in the tree. */
  readonly key: string
  /** From 1. */
  readonly level: number
  /** Undefined until it has come. */
  readonly item: TreeItem | undefined
  /** The list that it is of, and its place in it. */
  readonly list: TreeList | undefined
  readonly index: number
  /** The number of rows beside it. */
  readonly setSize: number
  readonly isOpenable: boolean
  readonly isOpen: boolean
}

/** No tree of a device is deeper. */
const MAX_LEVEL = 40

/** The rows of a tree as they are shown, from the top down: those below closed items are left out. */
export function treeRows(
  roots: readonly TreeRoot[],
  lists: ReadonlyMap<string, LoadedList>,
  open: ReadonlySet<string>,
): TreeRow[] {
  const rows: TreeRow[] = []

  function addRoots(these: readonly TreeRoot[], level: number, above: string): void {
    for (const [index, root] of these.entries()) {
      if ('item' in root) {
        addItem(root.item, { list: undefined, index, setSize: these.length, level, above }, root)
      } else addList(root.list, level, above)
    }
  }

  function addList(list: TreeList, level: number, above: string): void {
    const loaded = lists.get(keyOfList(list))
    // One row keeps the place of a list that has not come yet.
    const setSize = loaded?.total ?? 1
    for (let index = 0; index < setSize; index += 1) {
      const item = loaded?.items.get(index)
      const place = { list, index, setSize, level, above }
      if (item === undefined) {
        const key = `${above}/${keyOfList(list)}/${index}`
        rows.push({ key, item, list, index, setSize, level, isOpenable: false, isOpen: false })
      } else addItem(item, place, branchOf(item))
    }
  }

  function addItem(
    item: TreeItem,
    { above, ...place }: Pick<TreeRow, 'list' | 'index' | 'setSize' | 'level'> & { readonly above: string },
    { list, children = [] }: { readonly list?: TreeList; readonly children?: readonly TreeRoot[] },
  ): void {
    const ownKey = keyOfItem(item)
    const key = `${above}/${ownKey}`
    // Devices list channels that are below each other in a circle.
    const isOpenable =
      (list !== undefined || children.length > 0) && !`${above}/`.includes(`/${ownKey}/`) && place.level < MAX_LEVEL
    const isOpen = isOpenable && open.has(ownKey)
    rows.push({ key, item, ...place, isOpenable, isOpen })
    if (!isOpen) return
    addRoots(children, place.level + 1, key)
    if (list !== undefined) addList(list, place.level + 1, key)
  }

  addRoots(roots, 1, '')
  return rows
}

/** The list below an item of a list. */
function branchOf(item: TreeItem): { readonly list?: TreeList } {
  if (item.kind === 'device' && item.channelCount > 0) return { list: { kind: 'channels', deviceId: item.deviceId } }
  if (item.kind === 'channel' && item.subCount > 0) {
    return { list: { kind: 'below', deviceId: item.deviceId, channelId: item.channelId } }
  }
  return {}
}

/** The row above a row, in the level above its own; undefined at the top. */
export function parentIndex(rows: readonly TreeRow[], index: number): number | undefined {
  const level = rows[index]?.level ?? 1
  for (let at = index - 1; at >= 0; at -= 1) if (rows[at]!.level < level) return at
  return undefined
}
