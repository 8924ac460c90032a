import type { SubscriberInfo } from 'sluice/sdk'
import type { StreamPublisher } from './stream-publisher.ts'
import { remoteAddrOf } from './subscriber-info.ts'

type Description = Readonly<Record<string, string>>

/** The texts of a publisher in the task tree and in the notice of its end. */
export function publisherDescription({ request }: Pick<StreamPublisher, 'request'>): Description {
  const { protocol, type, client } = request
  return { kind: 'publisher', plugin: protocol, type, remoteAddr: remoteAddrOf(client) }
}

/** The texts of a subscriber there. */
export function subscriberDescription({ pluginName, type, remoteAddr, sourcePath }: SubscriberInfo): Description {
  return { kind: 'subscriber', plugin: pluginName, type, remoteAddr, sourcePath }
}
