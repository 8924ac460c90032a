import type { Logger } from 'pino'
import { InvalidRequest, parseDurationText, StreamPath, StreamUnavailable, Type, type PluginContext } from 'sluice/sdk'

/** A text, which may be written as a number. */
const Text = () => Type.Optional(Type.Unsafe<string | number>({ type: ['string', 'number'] }))

/** The event recording request (spec.md), all fields of which are texts; `recordMode` is accepted and has no meaning (api.md 6). */
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

/** Adds `POST /mp4/api/event/start` (api.md 6), which records the time around now. */
export function addEventOperation({ operations, services, log }: PluginContext<unknown>): void {
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
      const beforeMs = durationOf(log, 'beforeDuration', body.beforeDuration)
      const afterMs = durationOf(log, 'afterDuration', body.afterDuration)
      const fragmentMs = durationOf(log, 'fragment', body.fragment)
      const level = String(body.eventLevel ?? '').toLowerCase()
      const { id } = await recordings.startEvent({
        type: 'mp4',
        streamPath: body.streamPath,
        eventId: String(body.eventId ?? ''),
        eventName: String(body.eventName ?? ''),
        eventDesc: String(body.eventDesc ?? ''),
        eventLevel: level === 'high' || level === '0' ? 'high' : 'low',
        ...(beforeMs !== undefined && { beforeMs }),
        ...(afterMs !== undefined && { afterMs }),
        ...(fragmentMs !== undefined && { fragmentMs }),
      })
      return id
    },
  })
}

/** Parses a duration; undefined, for the default, when it is missing, empty, or malformed, which is logged (api.md 6). */
function durationOf(log: Logger, name: string, given: string | number | undefined): number | undefined {
  if (given === undefined || given === '') return undefined
  try {
    return parseDurationText(name, given)
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error
    log.warn({ [name]: given }, `${error.message}; the default holds`)
    return undefined
  }
}
