import type { DeviceEvent } from '../device-event.ts'

/** The line that tells of an event of a device. */
export function eventLine(id: string, event: DeviceEvent): string {
  return `${new Date().toISOString()} ${id} ${textOf(event)}`
}

function textOf(event: DeviceEvent): string {
  switch (event.kind) {
    case 'registered':
      return `registered for ${event.expires} s${event.serverVersion === undefined ? '' : `, at a platform of ${event.serverVersion}`}`
    case 'refused':
      return event.status === undefined ? 'got no answer to its registration' : `was refused: ${event.status}`
    case 'keepalive':
      return event.status === undefined ? 'got no answer to a keepalive' : `keepalive: ${event.status}`
    case 'unregistered':
    case 'disconnected':
      return event.kind
    case 'invite':
      return `invite ${event.channelId} ${event.session}: ${event.status}`
    case 'media':
      return `sends ${event.channelId} ${event.session}`
    case 'bye':
      return `bye ${event.channelId} ${event.session}, by the ${event.by}`
    case 'media-lost':
      return `lost ${event.channelId} ${event.session}: ${event.reason}`
    case 'subscribed':
      return event.expires === 0 ? `unsubscribed ${event.event}` : `subscribed ${event.event} for ${event.expires} s`
    case 'control':
      return `control ${event.channelId}: ${event.what}`
    case 'snapshot':
      return `snapshot to ${event.url}: ${event.status ?? 'failed'}`
  }
}
