import { Type } from 'sluice/sdk'
import type { Stream } from '../../stream/stream.ts'
import type { StreamSubscriber } from '../../stream/stream-subscriber.ts'
import { remoteAddrOf } from '../../stream/subscriber-info.ts'

export const StreamSearch = Type.Object({
  search: Type.Optional(Type.String({ description: 'Those alone whose path has this text in it, in any case' })),
})

export const SubscriberSearch = Type.Object({
  search: Type.Optional(
    Type.String({
      description: 'Those alone whose stream path, client address or plugin has this text in it, in any case',
    }),
  ),
})

/** The streams whose path has the text in it; all where there is none. */
export function streamsFound(streams: Iterable<Stream>, search = ''): Iterable<Stream> {
  return search === '' ? streams : Iterator.from(streams).filter(({ path }) => has(path, search))
}

/** The subscribers that have the text in their stream path, address or plugin; all where there is none. */
export function subscribersFound(subscribers: readonly StreamSubscriber[], search = ''): readonly StreamSubscriber[] {
  if (search === '') return subscribers
  return subscribers.filter(({ streamPath, sourcePath, request }) =>
    [streamPath, sourcePath, remoteAddrOf(request.client), request.protocol].some((text) => has(text, search)),
  )
}

function has(text: string, search: string): boolean {
  return text.toLowerCase().includes(search.toLowerCase())
}
