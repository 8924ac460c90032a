import { Type, type Static } from 'typebox'
import { Duration, WebhookUrl } from './types.ts'
import type { Frozen } from './values.ts'

/** A token, as RFC 9110 5.6.2 defines the names of headers. */
const HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
/** No header may hold line ends and other control characters (RFC 9110, 5.5). */
const HEADER_VALUE = String.raw`^[\t\x20-\x7e\x80-\xff]*$`

/** A web service that receives an event (config.md 3.5). In its place, a string is its `url`. */
export const Webhook = Type.Object(
  {
    url: WebhookUrl({ default: '', description: 'Web service (http or https) that is told; empty tells nobody' }),
    method: Type.Union([Type.Literal('POST'), Type.Literal('PUT'), Type.Literal('PATCH'), Type.Literal('GET')], {
      default: 'POST',
      description: 'Method of the request',
    }),
    headers: Type.Record(Type.String(), Type.String({ pattern: HEADER_VALUE, format: 'password', writeOnly: true }), {
      default: {},
      propertyNames: { type: 'string', pattern: HEADER_NAME },
      description: 'Further headers of the request',
    }),
    timeoutseconds: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 300,
      description: 'Seconds within which the whole answer must have come',
    }),
    retrytimes: Type.Integer({
      default: 3,
      minimum: 0,
      maximum: 100,
      description: 'How often to try again after an answer other than 2xx, or none',
    }),
    retryinterval: Duration({ default: '1s', description: 'From a failure to the next try' }),
    interval: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 86_400,
      description: 'Seconds from one server_keep_alive to the next; of no use for other events',
    }),
    savealarm: Type.Boolean({ default: false, description: 'Store each event, for /api/alarm/list' }),
  },
  { title: 'Webhook' },
)
export type Webhook = Frozen<Static<typeof Webhook>>

/** One key, which is set and inherited as a whole; without it, the event has no webhook of its own. */
function eventKey(description: string) {
  return Type.Optional(Type.Unsafe<Static<typeof Webhook>>({ anyOf: [Webhook], description }))
}

/** `hook`: web services that receive events and decide nothing. Each event can be set in `global` and per plugin. */
export const HookConfig = Type.Object(
  {
    default: eventKey('Events that have no webhook of their own'),
    publish_start: eventKey('A publisher started'),
    publish_end: eventKey('A publisher ended'),
    subscribe_start: eventKey('A viewer got a stream'),
    subscribe_end: eventKey('A viewer ended'),
    pull_start: eventKey('A pull has media, for the first time or again'),
    pull_end: eventKey('A pull failed or ended'),
    push_start: eventKey('A push sends, for the first time or again'),
    push_end: eventKey('A push failed or ended'),
    record_start: eventKey('A recording began'),
    record_end: eventKey('A recording ended'),
    transform_start: eventKey('A transcode began'),
    transform_end: eventKey('A transcode failed or ended'),
    disk_full: eventKey('More of the disk is in use than recordings may fill'),
    storage_lost: eventKey('The folder of recordings or its backup is gone or cannot be written; in global only'),
    storage_back: eventKey('The folder of recordings or its backup is there again; in global only'),
    system_start: eventKey('The server is up; in global only'),
    server_keep_alive: eventKey('The server is still up, told each interval seconds; in global only'),
  },
  { title: 'Webhooks' },
)
export type HookConfig = Frozen<Static<typeof HookConfig>>
