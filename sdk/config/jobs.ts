import { Type, type Static } from 'typebox'
import { Duration, ProxyUrl, RegexMap, Secret, SourceUrl, StreamPathMap, TargetUrl } from './types.ts'
import type { Frozen } from './values.ts'

/** The keys of a rule for the retries of a failed job, and for its way to the other server. */
const JOB_KEYS = {
  maxretry: Type.Integer({
    default: 0,
    minimum: -1,
    description: 'How often to try again in a row after a failure; -1 is for ever',
  }),
  retryinterval: Duration({
    default: '5s',
    description: 'From the first failure to the next try; doubled with each further one, up to a minute',
  }),
  proxy: ProxyUrl({
    default: '',
    description:
      'Proxy that connections go through: http://, https:// (CONNECT), socks5:// with user:password@; empty is none',
  }),
  header: Type.Record(Type.String(), Type.Array(Secret({ default: '' })), {
    default: {},
    description: 'Headers of the requests to the other server, each with a value or a list of values',
  }),
}

/** A source to fetch. In its place, a string is its `url`. */
export const PullRule = Type.Object(
  {
    url: SourceUrl({ description: 'Address of the source' }),
    loop: Type.Integer({
      default: 0,
      minimum: -1,
      description: 'How often a source that has an end is repeated; -1 is for ever',
    }),
    ...JOB_KEYS,
    args: Type.Record(Type.String(), Secret({ default: '' }), {
      default: {},
      description: "Handed to the source's protocol, besides the query of the subscriber",
    }),
    testmode: Type.Union([Type.Literal(0), Type.Literal(1)], {
      default: 0,
      description: '1: fetch and count the media without publishing it',
    }),
  },
  { title: 'Pull' },
)
export type PullRule = Frozen<Static<typeof PullRule>>

/** The keys of a plugin that provides `pull:` and its own name; the plugin `relay` acts on them. */
export const PullConfig = Type.Object({
  pull: StreamPathMap(PullRule, { default: {}, description: 'Stream path to the source that is published there' }),
  onsub: Type.Object({
    pull: RegexMap(PullRule, {
      default: {},
      description:
        'Regular expression to the source of paths that match it, fetched when somebody subscribes to one without ' +
        'publisher; $0 to $9 in its url are the match and its groups',
    }),
  }),
})
export type PullConfig = Frozen<Static<typeof PullConfig>>

/** A target to send a stream to. In its place, a string is its `url`. */
export const PushRule = Type.Object(
  { url: TargetUrl({ description: 'Address of the target' }), ...JOB_KEYS },
  { title: 'Push' },
)
export type PushRule = Frozen<Static<typeof PushRule>>

/** The keys of a plugin that provides `push:` and its own name; the plugin `relay` acts on them. */
export const PushConfig = Type.Object({
  onpub: Type.Object({
    push: RegexMap(PushRule, {
      default: {},
      description:
        'Regular expression to the target of streams whose path matches it, sent there while they are published; $0 to ' +
        '$9 in its url are the match and its groups',
    }),
  }),
})
export type PushConfig = Frozen<Static<typeof PushConfig>>
