import type { GroupItem } from './tree-items.ts'
import type { TreeRoot } from './tree-rows.ts'

type AnsweredGroup = { readonly id: number; readonly name: string; readonly pid: number; readonly children: unknown }

/** The groups of an answer of the server, with those below them. */
export function groupsOf(answer: unknown): readonly GroupItem[] {
  if (!Array.isArray(answer)) return []
  return (answer as readonly AnsweredGroup[]).map(({ id, name, pid, children }) => {
    return { kind: 'group', groupId: id, name, isRoot: pid === 0, children: groupsOf(children) }
  })
}

/** The tree of some groups: first the groups below each, then its channels. */
export function groupRoots(groups: readonly GroupItem[]): readonly TreeRoot[] {
  return groups.map((item) => {
    return { item, children: groupRoots(item.children), list: { kind: 'members', groupId: item.groupId } }
  })
}

/** All groups in the order of the tree, with the names of those above them. */
export function groupPaths(groups: readonly GroupItem[], above = ''): readonly { groupId: number; path: string }[] {
  return groups.flatMap(({ groupId, name, isRoot, children }) => {
    const path = above === '' ? name : `${above} / ${name}`
    return [{ groupId, path }, ...groupPaths(children, isRoot ? '' : path)]
  })
}
