import { Type } from 'sluice/sdk'

/** What a user or token may do. */
export const RoleSchema = Type.Union([Type.Literal('user'), Type.Literal('admin')], {
  description: 'user may read, admin may change things, too',
})

/** A time as answers have it (RFC 3339); empty for none. */
export function timeText(timeMs: number): string {
  return timeMs === 0 ? '' : new Date(timeMs).toISOString()
}
