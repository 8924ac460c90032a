import { Type, type Static } from 'typebox'
import { Duration, RegexMap, Secret, SourceUrl, StreamPathMap } from './types.ts'
import type { Frozen } from './values.ts'

/** A source to fetch. In its place, a string is its `url`. */
export const PullRule = Type.Object(
  {
    url: SourceUrl({ description: 'Address of the source' }),
    loop: Type.Integer({
      default: 0,
      minimum: -1,
      description: 'How often a source that has an end is repeated; -1 is for ever',
    }),
    maxretry: Type.Integer({
      default: 0,
      minimum: -1,
      description: 'How often to try again in a row when the source fails; -1 is for ever',
    }),
    retryinterval: Duration({ default: '5s', description: 'From a failure to the next try' }),
    header: Type.Record(Type.String(), Type.Array(Secret({ default: '' })), {
      default: {},
      description: 'Headers of the requests to the source, each with a value or a list of values',
    }),
  },
  { title: 'Pull' },
)
export type PullRule = Frozen<Static<typeof PullRule>>

/** What the section of a plugin has that provides `pull:` and its own name; the host acts on it. */
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
