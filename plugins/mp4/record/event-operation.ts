import { parseDuration, StreamPath, StreamUnavailable, Type, type PluginContext } from 'sluice/sdk'

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
  beforeDuration: Text(),
  afterDuration: Text(),
  fragment: Text(),
})

/** `POST /mp4/api/event/start` (api.md 6): records what is around now. */
export function addEventOperation({ operations, services, log }: PluginContext<unknown>): void {
  /** What is no duration is taken for none, as older clients expect (api.md 6). */
  const duration = (name: string, given: string | number | undefined): number | undefined => {
    if (given === undefined || given === '') return undefined
    // A number without unit is none here.
    const ms = /^\d+$/u.test(String(given)) ? undefined : parseDuration(String(given))
    if (ms === undefined) log.warn({ [name]: given }, 'a duration of an event is none; the default holds')
    return ms
  }

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
      const beforeMs = duration('beforeDuration', body.beforeDuration)
      const afterMs = duration('afterDuration', body.afterDuration)
      const fragmentMs = duration('fragment', body.fragment)
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
