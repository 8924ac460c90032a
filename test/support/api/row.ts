import type { Check } from './checks.ts'
import type { ApiWorld } from './world.ts'

/** What a request says: parameters of its path by name, its query, and a body, which goes out as JSON. */
export type Ask = {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
}

/** What comes back where it works. */
export type Answer =
  | { readonly wire: 'done' }
  | { readonly wire: 'empty' }
  /** In the envelope, as `data`. */
  | { readonly wire: 'data' | 'page' | 'bare' | 'events'; readonly value: Check }
  | { readonly wire: 'text'; readonly type: RegExp }

/** A request that is refused. */
export type Refusal = {
  readonly why: string
  readonly ask: Ask | ((world: ApiWorld) => Ask | Promise<Ask>)
  readonly status: number
  readonly says?: RegExp
} & (
  | {
      /** In the body; for `in-band` beside the status 200. */
      readonly code: number
    }
  | {
      /** The body are problem details (RFC 9457). */
      readonly isProblem: true
    }
)

/** An operation of api.md. */
export type Row = {
  /** What api.md calls it. */
  readonly name: string
  /** `GET /api/stream/info/{streamPath}`: all ways to ask for it, its own first. */
  readonly spellings: readonly [string, ...string[]]
  /** Nobody has built it yet: to be removed when it is there. */
  readonly pending?: true
  readonly ask?: (world: ApiWorld) => Ask | Promise<Ask>
  readonly answer: Answer
  readonly refusals?: readonly Refusal[]
}

export const DONE: Answer = { wire: 'done' }
export const data = (value: Check): Answer => ({ wire: 'data', value })
/** A list beside `total`, `pageNum` and `pageSize`; `value` is of the whole list. */
export const page = (value: Check): Answer => ({ wire: 'page', value })
export const bare = (value: Check): Answer => ({ wire: 'bare', value })
export const events = (value: Check): Answer => ({ wire: 'events', value })
export const text = (type: RegExp): Answer => ({ wire: 'text', type })

/** What has an id that nobody has. */
export function unknown(ask: Ask): Refusal {
  return { why: 'nobody has it', ask, status: 404, code: 5 }
}
