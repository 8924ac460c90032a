import { DurationText, parseDurationText, StreamPath, StreamUnavailable, Type, type PluginContext } from 'sluice/sdk'

/** A text, which may be written as a number. */
const Text = () => Type.Optional(Type.Unsafe<string | number>({ type: ['string', 'number'] }))

/** The event recording request (spec.md), all of whose fields are texts; `recordMode` is taken and has no meaning (api.md 6). */
const EventBody = Type.Object({
  streamPath: StreamPath(),
  eventId: Text(),
  eventName: Text(),
  eventDesc: Text(),
  eventLevel: Text(),
  recordMode: Text(),
  beforeDuration: Type.Optional(DurationText()),
  afterDuration: Type.Optional(DurationText()),
  fragment: Type.Optional(DurationText()),
})

/** `POST /mp4/api/event/start` (api.md 6): records what is around now. */
export function addEventOperation({ operations, services }: PluginContext<unknown>): void {
  operations.add({
    method: 'POST',
    path: 'api/event/start',
    summary: 'Record an event',
    body: EventBody,
    answer: Type.Integer({ description: 'The id of the event' }),
    reach: { stream: 'streamPath' },
    async handle({ body }) {
      const recordings = services.get('recordings')
      if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
      const beforeMs = durationOf('beforeDuration', body.beforeDuration)
      const afterMs = durationOf('afterDuration', body.afterDuration)
      const fragmentMs = durationOf('fragment', body.fragment)
      const level = String(body.eventLevel ?? '').toLowerCase()
      const { id } = await recordings.startEvent({
        ...{ type: 'mp4', streamPath: body.streamPath, eventId: String(body.eventId ?? '') },
        ...{ eventName: String(body.eventName ?? ''), eventDesc: String(body.eventDesc ?? '') },
        eventLevel: level === 'high' || level === '0' ? 'high' : 'low',
        ...(beforeMs !== undefined && { beforeMs }),
        ...(afterMs !== undefined && { afterMs }),
        ...(fragmentMs !== undefined && { fragmentMs }),
      })
      return id
    },
  })
}

/** Undefined for none and for an empty text, where the default holds. @throws {InvalidRequest} naming the field */
function durationOf(name: string, given: string | number | undefined): number | undefined {
  return given === undefined || given === '' ? undefined : parseDurationText(name, given)
}
