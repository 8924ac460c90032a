import { isSameChannel, parseChannel, type NamedChannel } from '../channel.ts'

/** The numbers of pictures that a wall has. */
export const WALL_SIZES = [1, 4, 9, 16] as const

export type WallSize = (typeof WALL_SIZES)[number]

const MOST = 16

/** The layout of a wall: the channels in its cells, and the cell that the next channel goes to. */
export type WallLayout = {
  readonly size: WallSize
  /** Sixteen, also where fewer are shown: they are there again in a larger wall. */
  readonly cells: readonly (NamedChannel | undefined)[]
  readonly active: number
}

/** A change of the layout. */
export type WallAction =
  | { readonly kind: 'size'; readonly size: WallSize }
  /** Shows a channel in a cell; unless given, in the active one when it is free, else in the first that is. */
  | { readonly kind: 'play'; readonly channel: NamedChannel; readonly cell?: number }
  | { readonly kind: 'close'; readonly cell: number }
  | { readonly kind: 'closeAll' }
  | { readonly kind: 'activate'; readonly cell: number }
  /** The channel that was chosen elsewhere: its cell becomes the active one. */
  | { readonly kind: 'choose'; readonly channel: Pick<NamedChannel, 'deviceId' | 'channelId'> }
  /** Has two cells change their channels. */
  | { readonly kind: 'swap'; readonly from: number; readonly to: number }

export const EMPTY_WALL: WallLayout = { size: 4, cells: Array.from({ length: MOST }, () => undefined), active: 0 }

/** The layout after a change. */
export function changeWall(wall: WallLayout, action: WallAction): WallLayout {
  const { size, cells, active } = wall
  switch (action.kind) {
    case 'size':
      return { ...wall, size: action.size, active: Math.min(active, action.size - 1) }
    case 'play': {
      const cell = action.cell ?? cellFor(wall, action.channel)
      // A channel is in one cell: where it was is free again.
      const others = cells.map((channel) => (isSameChannel(channel, action.channel) ? undefined : channel))
      return { ...wall, cells: others.with(cell, action.channel), active: cell }
    }
    case 'close':
      return { ...wall, cells: cells.with(action.cell, undefined), active: action.cell }
    case 'closeAll':
      return { ...EMPTY_WALL, size }
    case 'activate':
      return { ...wall, active: Math.max(0, Math.min(action.cell, size - 1)) }
    case 'choose': {
      const cell = cells.slice(0, size).findIndex((channel) => isSameChannel(channel, action.channel))
      return cell < 0 ? wall : { ...wall, active: cell }
    }
    case 'swap': {
      const { from, to } = action
      return { ...wall, cells: cells.with(from, cells[to]).with(to, cells[from]), active: to }
    }
  }
}

function cellFor({ size, cells, active }: WallLayout, channel: NamedChannel): number {
  const shown = cells.slice(0, size)
  const own = shown.findIndex((one) => isSameChannel(one, channel))
  if (own >= 0) return own
  if (shown[active] === undefined) return active
  const free = shown.indexOf(undefined)
  return free < 0 ? active : free
}

export function serializeWall({ size, cells }: WallLayout): string {
  return JSON.stringify({ size, cells: cells.map((channel) => channel ?? null) })
}

/** Reads a layout that was stored; the empty one where it is none. */
export function parseWall(text: string | null): WallLayout {
  try {
    const { size, cells } = JSON.parse(text ?? '') as { readonly size?: unknown; readonly cells?: unknown }
    const known = WALL_SIZES.find((one) => one === size)
    if (known === undefined || !Array.isArray(cells)) return EMPTY_WALL
    return { size: known, cells: EMPTY_WALL.cells.map((_, index) => parseChannel(cells[index])), active: 0 }
  } catch {
    return EMPTY_WALL
  }
}
