import { useCallback, useEffect, useRef, useState } from 'react'
import { useConsole } from '../console-context.ts'
import { loadPage, PAGE_SIZE } from './load-page.ts'
import { keyOfList, type TreeItem, type TreeList } from './tree-items.ts'
import type { LoadedList } from './tree-rows.ts'

/** A page of a list, from 0. */
export type WantedPage = { readonly list: TreeList; readonly page: number }

const REFRESH_MS = 5000
const TICK_MS = 1000

/** The lists of the tree as far as they have come. The pages that are wanted are asked for again and again while the page is seen. */
export function useTreeLists(wanted: readonly WantedPage[]) {
  const { api } = useConsole()
  const [lists, setLists] = useState<ReadonlyMap<string, LoadedList>>(new Map())
  const [error, setError] = useState<Error>()
  /** The times at which pages were asked for. */
  const asked = useRef(new Map<string, number>())
  const wishes = useRef(wanted)
  wishes.current = wanted

  const load = useCallback(
    async ({ list, page }: WantedPage) => {
      try {
        const { total, items } = await loadPage(api, list, page)
        setLists((before) => withPage(before, keyOfList(list), page, total, items))
        setError(undefined)
      } catch (failure) {
        setError(failure as Error)
      }
    },
    [api],
  )

  const loadDue = useCallback(() => {
    if (document.hidden) return
    const nowMs = Date.now()
    for (const wish of wishes.current) {
      const key = keyOfPage(wish)
      if (nowMs - (asked.current.get(key) ?? 0) < REFRESH_MS) continue
      asked.current.set(key, nowMs)
      void load(wish)
    }
  }, [load])

  const key = wanted.map(keyOfPage).join('\n')
  useEffect(loadDue, [loadDue, key])
  useEffect(() => {
    const timer = setInterval(loadDue, TICK_MS)
    return () => clearInterval(timer)
  }, [loadDue])

  const refresh = useCallback(() => {
    asked.current.clear()
    loadDue()
  }, [loadDue])
  return { lists, error, refresh }
}

function keyOfPage({ list, page }: WantedPage): string {
  return `${page} ${keyOfList(list)}`
}

function withPage(
  lists: ReadonlyMap<string, LoadedList>,
  key: string,
  page: number,
  total: number,
  items: readonly TreeItem[],
): ReadonlyMap<string, LoadedList> {
  const kept = new Map(lists.get(key)?.items)
  for (let index = 0; index < PAGE_SIZE; index += 1) kept.delete(page * PAGE_SIZE + index)
  for (const [index, item] of items.entries()) kept.set(page * PAGE_SIZE + index, item)
  return new Map(lists).set(key, { total, items: kept })
}
