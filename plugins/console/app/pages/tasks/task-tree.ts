import type { Paths } from 'sluice/api'

type Root = Paths['GET /api/task/tree']['answer']['data']

/** A node of the task tree. */
export type TaskNode = Omit<Root, 'children'> & { readonly children: readonly TaskNode[] }

/** The actions that a node allows. */
export type TaskControls = { readonly canStop: boolean; readonly canRestart: boolean }

/** A node that is shown, in the order of the lines. */
export type TaskLine = {
  readonly node: TaskNode
  /** The root is 0. */
  readonly level: number
  readonly isOpen: boolean
  readonly controls: TaskControls
}

const NONE: TaskControls = { canStop: false, canRestart: false }
/** The nodes that stand for work without tasks, which are no plugin's: what is below them ends otherwise, or not at all. */
const LISTENERS = 'listeners'
const STREAMS = 'streams'
/** The levels of the branches and of what is below them; plugins and parts of the server are branches. */
const BRANCH_LEVEL = 1

/** The tree as it comes from the server, whose description ends at the fourth level. */
export function treeOf(root: Root): TaskNode {
  return root as unknown as TaskNode
}

/**
 * The lines of the tree from top to bottom.
 * @param isOpen whether the children of a node are shown
 * @param search only nodes that have the text, those above them, which are open, and those below them
 */
export function linesOf(root: TaskNode, isOpen: (node: TaskNode) => boolean, search: string): readonly TaskLine[] {
  const lines = (node: TaskNode, level: number, branch: TaskNode | undefined, wanted: string): readonly TaskLine[] => {
    const isFound = wanted === '' || contains(node, wanted)
    const below = node.children.flatMap((child) =>
      lines(child, level + 1, level === BRANCH_LEVEL ? node : branch, isFound ? '' : wanted),
    )
    if (!isFound && below.length === 0) return []
    const open = node.children.length > 0 && (!isFound || isOpen(node))
    return [{ node, level, isOpen: open, controls: controlsOf(level, branch) }, ...(open ? below : [])]
  }
  return lines(root, 0, undefined, search.trim().toLowerCase())
}

function controlsOf(level: number, branch: TaskNode | undefined): TaskControls {
  if (level <= BRANCH_LEVEL || branch === undefined) return NONE
  const isOfPlugin = branch.description['plugin'] !== undefined
  if (!isOfPlugin && branch.owner === LISTENERS) return NONE
  if (!isOfPlugin && branch.owner === STREAMS) return { canStop: true, canRestart: false }
  return { canStop: true, canRestart: true }
}

function contains({ owner, description }: TaskNode, wanted: string): boolean {
  return [owner, ...Object.entries(description).flat()].some((text) => text.toLowerCase().includes(wanted))
}
