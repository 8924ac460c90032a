import type { ManscdpBody } from './message.ts'
import { alarmQuery, catalogQuery, mobilePositionQuery, type AlarmQuery } from './queries.ts'

/** The `Event` and the body of a SUBSCRIBE (9.11 of GB/T 28181-2022). */
export type GbSubscription = { readonly event: string; readonly body: ManscdpBody }

/** Notices of channels that come, go or change. */
export function catalogSubscription(deviceId: string): GbSubscription {
  return { event: 'Catalog', body: catalogQuery(deviceId) }
}

/** Notices of alarms; of all without conditions. Devices of every version know the event by the name of RFC 3856. */
export function alarmSubscription(deviceId: string, alarms: AlarmQuery = ALL_ALARMS): GbSubscription {
  return { event: 'presence', body: alarmQuery(deviceId, alarms) }
}

/**
 * Notices of the position of what moves.
 * @param intervalSeconds the time between two notices. Default: 5
 */
export function mobilePositionSubscription(deviceId: string, intervalSeconds?: number): GbSubscription {
  return { event: 'presence', body: mobilePositionQuery(deviceId, intervalSeconds) }
}

const ALL_ALARMS: AlarmQuery = { startPriority: 0, endPriority: 0, method: '0' }
