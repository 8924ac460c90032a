import type { SubscriberInfo } from 'sluice/sdk'
import type { StreamPublisher } from './stream-publisher.ts'
import { remoteAddrOf } from './subscriber-info.ts'

type Description = Readonly<Record<string, string>>

/** What the task tree and the task history say of a publisher. */
export function publisherDescription({ request }: Pick<StreamPublisher, 'request'>): Description {
  const { protocol, type, client } = request
  return { kind: 'publisher', plugin: protocol, type, remoteAddr: remoteAddrOf(client) }
}

/** What they say of a subscriber. */
export function subscriberDescription({ pluginName, type, remoteAddr, sourcePath }: SubscriberInfo): Description {
  return { kind: 'subscriber', plugin: pluginName, type, remoteAddr, sourcePath }
}
