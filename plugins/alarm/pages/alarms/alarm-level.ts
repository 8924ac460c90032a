/** The weight of an event for an operator. */
export type Level = 'critical' | 'warning' | 'info'

/** Nothing is recorded any more, or soon nothing can be. */
const CRITICAL: ReadonlySet<string> = new Set(['disk_full', 'storage_lost'])
/** Work that was to go on has failed or ended. */
const WARNING: ReadonlySet<string> = new Set(['pull_end', 'push_end', 'record_end', 'transform_end'])
const INFO: ReadonlySet<string> = new Set([
  'system_start',
  'server_keep_alive',
  'publish_start',
  'publish_end',
  'subscribe_start',
  'subscribe_end',
  'pull_start',
  'push_start',
  'record_start',
  'transform_start',
  'storage_back',
])

/** The events that the server has by itself; plugins raise others. */
export const EVENTS: readonly string[] = [...CRITICAL, ...WARNING, ...INFO].toSorted()

/** The level of an event by its name. What plugins raise are alarms. */
export function levelOf(name: string): Level {
  if (CRITICAL.has(name)) return 'critical'
  return INFO.has(name) ? 'info' : 'warning'
}
