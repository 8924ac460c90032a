import type { Paths } from 'sluice/api'

export type LogLine = Paths['GET /api/log/sse']['event']['lines'][number]
/** A line with a number of its own. */
export type ShownLine = LogLine & { readonly id: number }

/** The most lines that the page has; the oldest make room. */
export const MAX_LINES = 2000

/** The lines on the page, and those that wait while it is paused. */
export type LogState = {
  readonly lines: readonly ShownLine[]
  readonly held: readonly ShownLine[]
  readonly isPaused: boolean
  /** Lines that are older were cleared away, and stay so when the server tells them again. */
  readonly clearedBefore: string
  readonly lastId: number
}

export type LogAction =
  | { readonly kind: 'added'; readonly lines: readonly LogLine[] }
  /** The lines from before come again: with another filter, or after the connection was lost. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'cleared'; readonly now: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }

export const NO_LINES: LogState = { lines: [], held: [], isPaused: false, clearedBefore: '', lastId: 0 }

export function nextState(state: LogState, action: LogAction): LogState {
  switch (action.kind) {
    case 'added': {
      const fresh = action.lines.filter(({ time }) => time >= state.clearedBefore)
      const added = fresh.map((line, index) => ({ ...line, id: state.lastId + 1 + index }))
      const lastId = state.lastId + added.length
      if (state.isPaused) return { ...state, lastId, held: newest([...state.held, ...added]) }
      return { ...state, lastId, lines: newest([...state.lines, ...added]) }
    }
    case 'begun':
      return { ...state, lines: [], held: [] }
    case 'cleared':
      return { ...state, lines: [], held: [], clearedBefore: action.now }
    case 'paused':
      return { ...state, isPaused: true }
    case 'resumed':
      return { ...state, isPaused: false, lines: newest([...state.lines, ...state.held]), held: [] }
    default:
      return action satisfies never
  }
}

/** All fields of a line but those that the line shows itself, as text: stacks with their lines, other values as JSON. */
export function restText(rest: LogLine['rest']): string {
  return Object.entries(rest)
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join('\n')
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  const { stack, ...others } = Object(value) as { readonly stack?: unknown }
  if (typeof stack !== 'string') return JSON.stringify(value, undefined, 2)
  return Object.keys(others).length === 0 ? stack : `${stack}\n${JSON.stringify(others, undefined, 2)}`
}

function newest(lines: readonly ShownLine[]): readonly ShownLine[] {
  return lines.length <= MAX_LINES ? lines : lines.slice(-MAX_LINES)
}
