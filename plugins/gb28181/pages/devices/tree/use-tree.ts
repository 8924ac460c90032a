import { useDebouncedValue } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { useConsole } from '../console-context.ts'
import { groupRoots, groupsOf } from './group-tree.ts'
import { PAGE_SIZE } from './load-page.ts'
import { keyOfItem, type TreeItem } from './tree-items.ts'
import { treeRows, type TreeRoot, type TreeRow } from './tree-rows.ts'
import { TREE_WORDS } from './tree-words.ts'
import { useTreeLists, type WantedPage } from './use-tree-lists.ts'
import { useVisibleRows } from './visible-rows.ts'

/** The order of the tree. */
export type TreeMode = 'devices' | 'groups'

const GROUPS_REFRESH_MS = 10_000
/** Rows that are scrolled past are not asked for. */
const SCROLL_PAUSE_MS = 120
const ADDED_BY_OPERATORS = 1

/**
 * The tree as it is shown: its rows, of which those that are seen are kept up to date.
 * @param deviceId the device that is open at first
 */
export function useTree(mode: TreeMode, query: string, deviceId: string | undefined) {
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(['folder:devices', 'folder:channels', `device:${deviceId ?? ''}`]),
  )
  const { roots, groups, refreshGroups } = useRoots(mode, query)
  const [wantedText, setWantedText] = useState('[]')
  const wanted = useMemo(() => JSON.parse(wantedText) as readonly WantedPage[], [wantedText])
  const { lists, error, refresh } = useTreeLists(wanted)
  const rows = useMemo(() => treeRows(roots, lists, open), [roots, lists, open])
  const visible = useVisibleRows(rows.length)
  const seen = JSON.stringify(pagesOf(rows.slice(visible.first, visible.last)))
  const [seenText] = useDebouncedValue(seen, SCROLL_PAUSE_MS, { leading: true })
  if (seenText !== wantedText) setWantedText(seenText)

  const toggle = (item: TreeItem) => {
    const next = new Set(open)
    if (!next.delete(keyOfItem(item))) next.add(keyOfItem(item))
    setOpen(next)
  }
  const refreshAll = () => {
    refresh()
    void refreshGroups()
  }
  return { rows, visible, error, groups, toggle, refresh: refreshAll }
}

function useRoots(mode: TreeMode, query: string) {
  const console = useConsole()
  const words = console.words(TREE_WORDS)
  const groupsInput = { params: { pid: -1 }, query: { channels: false } }
  const groupsData = console.useCall('GET /gb28181/api/groups/{pid}', groupsInput, { refreshMs: GROUPS_REFRESH_MS })
  const customInput = { query: { type: ADDED_BY_OPERATORS, page: 1, count: 1 } }
  const custom = console.useCall('GET /gb28181/api/channel/list', customInput, { refreshMs: GROUPS_REFRESH_MS })
  const groups = useMemo(() => groupsOf(groupsData.data?.data), [groupsData.data])
  const hasCustom = (custom.data?.total ?? 0) > 0

  const roots = useMemo((): readonly TreeRoot[] => {
    if (query !== '') {
      const [devices, channels] = [words.devicesFound, words.channelsFound]
      return [
        { item: { kind: 'folder', id: 'devices', name: devices }, list: { kind: 'devices', query } },
        { item: { kind: 'folder', id: 'channels', name: channels }, list: { kind: 'found', query } },
      ]
    }
    if (mode === 'groups') {
      // There is one root, whose groups and channels are the top of the tree.
      return groups.flatMap(({ groupId, children }): readonly TreeRoot[] => [
        ...groupRoots(children),
        { list: { kind: 'members', groupId } },
      ])
    }
    const added: TreeRoot = { item: { kind: 'folder', id: 'custom', name: words.added }, list: { kind: 'custom' } }
    return [{ list: { kind: 'devices', query } }, ...(hasCustom ? [added] : [])]
  }, [mode, query, groups, hasCustom, words])
  return { roots, groups, refreshGroups: groupsData.refresh }
}

/** The pages of lists that some rows are of. */
function pagesOf(rows: readonly TreeRow[]): readonly WantedPage[] {
  const pages = new Map<string, WantedPage>()
  for (const { list, index } of rows) {
    if (list === undefined) continue
    const wish = { list, page: Math.floor(index / PAGE_SIZE) }
    pages.set(JSON.stringify(wish), wish)
  }
  return [...pages.values()]
}
