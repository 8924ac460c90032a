import type { SessionClient, SubscriberInfo } from 'sluice/sdk'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** A snapshot of a subscriber for plugins. */
export function subscriberInfo(subscriber: StreamSubscriber): SubscriberInfo {
  const { request } = subscriber
  return {
    id: subscriber.id,
    streamPath: subscriber.streamPath,
    sourcePath: subscriber.sourcePath,
    pluginName: request.protocol,
    type: request.type,
    remoteAddr: remoteAddrOf(request.client),
    startTime: subscriber.startTime,
    follows: request.follows === true,
    params: request.params,
  }
}

/** The address of a peer; empty for the server's own sessions, which have none. */
export function remoteAddrOf({ ip, port }: SessionClient): string {
  if (ip === '') return ''
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}
