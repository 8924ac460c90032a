import { Type } from 'sluice/sdk'

/** The role of a user or token. */
export const RoleSchema = Type.Union([Type.Literal('user'), Type.Literal('admin')], {
  description: 'user may read, admin may change things, too',
})

/** A time as RFC 3339 text; empty for 0. */
export function timeText(timeMs: number): string {
  return timeMs === 0 ? '' : new Date(timeMs).toISOString()
}
